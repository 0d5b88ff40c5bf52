// `npm run test:crashes`: kills the server at every crash point of a payment, with the simulator and with every emulated
// provider. `--provider stripe` and `--point work.received` select one of them. `npm test` uses one provider for each
// crash point.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { provider: { type: 'string' }, point: { type: 'string' } } })
const root = resolve(import.meta.dirname, '..')
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')
const file = 'packages/server/test/flows/payments-crashes.test.ts'
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'flows', file], {
  cwd: root,
  env: { ...process.env, SWITCHYARD_TEST_CRASHES: JSON.stringify(values) },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
