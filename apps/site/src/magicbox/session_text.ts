import { describeExtent } from './extent.ts';
import type { MagicSession } from './magic_session.ts';

/** Where a session stands: why nothing is known, or how many of what was asked the text states. */
export function describeState(session: MagicSession): string {
  const { text, asked, refusal, canRead, extent } = session;
  if (refusal !== undefined) return refusal;
  if (!canRead) return 'no answers without the model';
  if (text.trim() === '') return 'no text to read';
  if (asked.length === 0) return 'no question to answer';
  const reading = extent && describeExtent(extent);
  if (reading !== undefined) return reading;
  const findings = asked.flatMap(({ id }) => session.findingOf(id) ?? []);
  if (findings.length === 0) return 'reading';
  const numStated = findings.filter(({ isStated }) => isStated).length;
  return `${numStated} of ${asked.length} stated in the text`;
}

/** The answers in one breath, for those who hear them; empty where nothing is known. */
export function describeAnswers(session: MagicSession): string {
  const answers = session.asked.flatMap(({ id, text }) => {
    const finding = session.findingOf(id);
    if (finding === undefined) return [];
    return `${text} ${finding.isStated ? (finding.best?.text ?? '') : 'Not stated'}.`;
  });
  return answers.join(' ');
}
