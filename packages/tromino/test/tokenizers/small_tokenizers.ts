/** Characters that the small vocabulary spells. */
const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789.,?!');

/** A WordPiece `tokenizer.json` of single characters in the manner of BERT: 84 tokens, for the small reference checkpoints. */
export function characterPieces(): object {
  const tokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ...letters, ...letters.map((letter) => `##${letter}`)];
  return {
    version: '1.0',
    added_tokens: [0, 1, 2, 3].map((id) => ({ id, content: tokens[id], special: true, normalized: false })),
    normalizer: { type: 'BertNormalizer', lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    },
  };
}

/** A byte-level `tokenizer.json` without merges in the manner of RoBERTa: any text, one token a byte. */
export function bytes(): object {
  const printable = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad),
  );
  const numOthers = 256 - printable.length;
  const codes = [...printable, ...Array.from({ length: numOthers }, (_, i) => 0x100 + i)];
  const tokens = ['<s>', '<pad>', '</s>', '<unk>', ...codes.map((code) => String.fromCharCode(code))];
  return {
    version: '1.0',
    added_tokens: [0, 1, 2, 3].map((id) => ({ id, content: tokens[id], special: true, normalized: false })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: {
      type: 'RobertaProcessing',
      sep: ['</s>', 2],
      cls: ['<s>', 0],
      trim_offsets: true,
      add_prefix_space: false,
    },
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges: [] },
  };
}
