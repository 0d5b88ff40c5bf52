// `npm run test:shards`: runs the tests of roles and tenancy with the workspaces on two data shards and the control plane in
// a third database. `npm test` runs them on one database. With file names, it runs those files instead.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const guards = [
  'access',
  'error-pages',
  'filters',
  'statements',
  'tenancy',
  'tenancy-database',
  'vault-database',
]
const given = process.argv.slice(2)
const files = given.length > 0 ? given : guards.map((name) => `packages/server/test/guards/${name}.test.ts`)
const root = resolve(import.meta.dirname, '..')
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...files], {
  cwd: root,
  env: { ...process.env, TEST_SHARDS: '2' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
