// `npm run test:screens`: checks every screen of the dashboard with axe, at both widths and in both themes. `npm test`
// checks each screen at one width, and some of them in the dark theme.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')
const file = 'packages/server/test/pages/dashboard/screens.test.ts'
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'pages', file], {
  cwd: root,
  env: { ...process.env, SWITCHYARD_TEST_COMPLETE: 'true' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
