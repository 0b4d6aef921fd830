import { expect, it } from 'vitest';
it('has an adapter', async () => {
  const adapter = await navigator.gpu.requestAdapter();
  expect(adapter).not.toBeNull();
  console.log(adapter?.info.vendor, adapter?.info.architecture);
});
