// The directions of docs/architecture.md: a layer may import any layer below, never one above, never a sibling.

/** The runtime's layers from bottom to top; those on one line are siblings. */
const levels = [
  ['util'],
  ['tensor'],
  ['io', 'kernels', 'tokenizer'],
  ['formats', 'graph', 'gpu'],
  ['models', 'plan'],
  ['cpu'],
  ['exec'],
  ['tasks'],
];

/** What each package of the workspace may import from the others. Its tests may use the lab's browser and server; the root's tools may use all. */
const packages = {
  'packages/tromino': [],
  'packages/strata': [],
  'packages/lab': ['packages/tromino'],
  'apps/site': ['packages/tromino', 'packages/strata'],
  bench: ['packages/tromino', 'packages/lab', 'packages/strata'],
};

const runtime = 'packages/tromino/src';
/** Tests may reach across layers: one checks a plan by running it, say. */
const tests = '\\.test\\.ts$|/testing/|/test/';

const layerRules = levels.flatMap((siblings, level) =>
  siblings.map((layer) => {
    const above = levels.slice(level + 1).flat();
    const forbidden = [...siblings.filter((sibling) => sibling !== layer), ...above];
    return {
      name: `${layer}-looks-down`,
      comment: `${layer}/ may import only the layers below it`,
      severity: 'error',
      from: { path: `^${runtime}/${layer}/`, pathNot: tests },
      to: { path: `^${runtime}/(?:(?:${forbidden.join('|') || '(?!)'})/|[^/]+\\.ts$)` },
    };
  }),
);

const packageRules = Object.entries(packages).map(([name, allowed]) => ({
  name: `${name.replace(/.*\//, '')}-imports-what-it-may`,
  comment: `${name} may import ${allowed.join(', ') || 'no other package'}`,
  severity: 'error',
  from: { path: `^${name}/`, pathNot: tests },
  to: { path: '^(packages|apps|bench)/', pathNot: `^(${[name, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    ...packageRules,
    {
      name: 'public-entries-only',
      comment: 'the other packages see the runtime as its users do',
      severity: 'error',
      from: { path: '^(packages|apps|bench)/', pathNot: '^packages/tromino/' },
      to: { path: '^packages/tromino/', pathNot: `^${runtime}/(index|node)\\.ts$` },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-missing-files',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?raw$' },
    },
    {
      name: 'no-undeclared-packages',
      comment: 'an npm package that no package.json names works only by luck',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|fixtures)/' },
    combinedDependencies: true, // The root's package.json names what only tests and tools use.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['tromino-source', 'import', 'node', 'default', 'types'],
    },
  },
};
