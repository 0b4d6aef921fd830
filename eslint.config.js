// One lint for the whole workspace. Type-aware, because a GPU promise that nobody awaits is the fault we most want caught.
import tseslint from 'typescript-eslint';

const gpuTypeNames = 'TSTypeReference[typeName.name=/^GPU/]';

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/*.mjs',
      '**/*.cjs',
      '.gpu/**',
      '.cache/**',
      'eslint.config.js',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      'no-console': 'error',
    },
  },
  {
    // Right of the plan nothing is decided, left of it no GPU type is in sight.
    files: ['packages/tromino/src/**/*.ts'],
    ignores: [
      'packages/tromino/src/gpu/**',
      'packages/tromino/src/exec/**',
      'packages/tromino/src/tasks/**',
      'packages/tromino/src/**/*.test.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: gpuTypeNames, message: 'GPU types belong in gpu/ and exec/.' },
      ],
    },
  },
  {
    files: ['packages/tromino/src/**/*.ts'],
    ignores: ['packages/tromino/src/gpu/**', 'packages/tromino/src/**/testing/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { property: 'createBuffer', message: 'Only gpu/ allocates: go through the ledger.' },
        { property: 'requestDevice', message: 'Only gpu/ asks for devices.' },
        { property: 'createComputePipeline', message: 'It blocks the page: use the pipeline cache.' },
      ],
    },
  },
  {
    files: ['packages/lab/**', 'packages/strata/**', 'tools/**', 'apps/**', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
);
