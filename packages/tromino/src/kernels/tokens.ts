/**
 * The table that describes a ragged batch: rows of different lengths, packed one after another without padding. Four u32 per token,
 * so that a kernel reads one `vec4u`: where the token's row starts and ends (as token indices), its position, and its row.
 */
export const tokenFields = { rowStart: 0, rowEnd: 1, position: 2, row: 3, count: 4 } as const;
