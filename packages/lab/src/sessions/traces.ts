import type { Model, TextOrIds } from 'tromino';
import type { StepTiming, StepTimings, StepTrace } from './protocol.ts';

/** Runs a model step by step and sums up what each step wrote. */
export async function traceSteps(model: Model, input: TextOrIds): Promise<StepTrace[]> {
  const steps: StepTrace[] = [];
  await model.tap(input, async ({ step, values }) => {
    const { label, op, variant } = step;
    steps.push({
      label,
      op,
      variant,
      numValues: values.length,
      bits: await bitsOf(values),
      ...rangeOf(values),
    });
  });
  return steps;
}

/** Times a model's steps on the device's own clock. */
export async function timeSteps(model: Model, input: TextOrIds, repeats: number): Promise<StepTimings> {
  const profile = await model.profile(input, { repeats });
  return {
    ...profile,
    steps: profile.steps.map(({ step: { label, op, variant, workgroups }, durationNs }): StepTiming => ({
      label,
      op,
      variant,
      numWorkgroups: workgroups[0] * workgroups[1],
      durationNs,
    })),
  };
}

/** A fingerprint of values that differs as soon as one bit does. */
async function bitsOf(values: Float32Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', values.slice());
  return Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function rangeOf(values: Float32Array): Pick<StepTrace, 'least' | 'greatest' | 'numNotFinite'> {
  let [least, greatest, numNotFinite] = [Infinity, -Infinity, 0];
  for (const value of values) {
    if (!Number.isFinite(value)) numNotFinite++;
    else [least, greatest] = [Math.min(least, value), Math.max(greatest, value)];
  }
  return { least, greatest, numNotFinite };
}
