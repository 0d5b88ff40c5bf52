// `npm run test:hostile`: sends every malformed body and every secret to every operation, and more random requests to
// each. `npm test` runs a part of the cases.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')
const files = ['fuzz', 'json', 'logs'].map((name) => `packages/server/test/hostile/${name}.test.ts`)
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'general', ...files], {
  cwd: root,
  env: { ...process.env, SWITCHYARD_TEST_COMPLETE: 'true' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
