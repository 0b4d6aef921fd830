import type { StoredDType } from '../../tensor/dtype.ts';
import { FormatError, UnsupportedError } from '../../util/errors.ts';

const dtypes: ReadonlyMap<string, StoredDType> = new Map<string, StoredDType>([
  ['F64', 'f64'],
  ['F32', 'f32'],
  ['F16', 'f16'],
  ['BF16', 'bf16'],
  ['I64', 'i64'],
  ['I32', 'i32'],
  ['I16', 'i16'],
  ['I8', 'i8'],
  ['U64', 'u64'],
  ['U32', 'u32'],
  ['U16', 'u16'],
  ['U8', 'u8'],
  ['BOOL', 'bool'],
]);

/** Types of the format that nothing here computes with. */
const unsupported = new Set([
  'F8_E4M3',
  'F8_E5M2',
  'F8_E8M0',
  'F8_E4M3FNUZ',
  'F8_E5M2FNUZ',
  'F6_E2M3',
  'F6_E3M2',
  'F4',
  'C64',
]);

/** Our name for a dtype of the format. **Source** https://github.com/huggingface/safetensors, safetensors/src/tensor.rs, `Dtype`. */
export function parseDType(file: string, tensor: string, name: string): StoredDType {
  const dtype = dtypes.get(name);
  if (dtype) return dtype;
  if (unsupported.has(name))
    throw new UnsupportedError(`${file}, tensor ${tensor}`, `dtype ${name} is not supported`);
  throw new FormatError(
    file,
    `tensor ${tensor}: expected a dtype (${[...dtypes.keys()].join(', ')}), found ${name}`,
  );
}
