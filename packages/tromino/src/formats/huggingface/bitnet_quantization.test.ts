import { describe, expect, it } from 'vitest';
import { readBitNetQuantization, type BitNetQuantization } from './bitnet_quantization.ts';
import { ConfigReader } from './config_reader.ts';

const read = (json: Record<string, string | boolean | number | null | string[]>): BitNetQuantization =>
  readBitNetQuantization(new ConfigReader('config.json', json, 'quantization_config'));

describe('readBitNetQuantization', () => {
  it('takes what transformers takes for fields that are left out', () => {
    expect(read({ quant_method: 'bitnet' })).toMatchObject({
      linearClass: 'bitlinear',
      mode: 'offline',
      normEpsilon: undefined,
    });
  });

  it('reads class, mode and the norm', () => {
    const json = { linear_class: 'autobitlinear', quantization_mode: 'online', use_rms_norm: true };
    expect(read(json)).toMatchObject({ linearClass: 'autobitlinear', mode: 'online', normEpsilon: 1e-6 });
    expect(read({ ...json, rms_norm_eps: 1e-5 }).normEpsilon).toBe(1e-5);
  });

  it('knows no online bitlinear: it stores packed codes in either mode', () => {
    expect(read({ linear_class: 'bitlinear', quantization_mode: 'online' }).mode).toBe('offline');
  });

  it.each([
    [
      'linear_class',
      'quantization_config.linear_class: "tritlinear" is not known; known are bitlinear, autobitlinear',
    ],
    [
      'quantization_mode',
      'quantization_config.quantization_mode: "tritlinear" is not known; known are offline, online',
    ],
  ])('names another %s', (field, message) => {
    expect(() => read({ [field]: 'tritlinear' })).toThrow(message);
  });

  it('leaves the head dense where no modules are named, and nothing but those that are', () => {
    const layer = 'model.layers.11.self_attn.q_proj';
    const byDefault = read({ modules_to_not_convert: null });
    expect(['lm_head', 'score', layer].map((name) => byDefault.isDense(name))).toEqual([true, true, false]);
    const named = read({
      modules_to_not_convert: ['model.layers.1', 'up_proj', 'model.layers.*.o_proj', '('],
    });
    const modules = [
      'lm_head',
      layer,
      'model.layers.2.mlp.up_proj',
      'model.layers.2.self_attn.o_proj',
      'a.q_proj',
    ];
    // As transformers has it: layers.1 is the beginning of layers.11 too.
    expect(modules.map((name) => named.isDense(name))).toEqual([false, true, true, true, false]);
  });
});
