// Builds the dashboard: `npm run build:dashboard`. Other scripts call `buildIfStale`.

import { fileURLToPath } from 'node:url'
import { pageBuild } from '../../scripts/pages/build.ts'

const page = pageBuild(import.meta.dirname, ['src', '../sdk/src'])

export const buildIfStale = page.ifStale
/** Vitest calls this before the tests. */
export { buildIfStale as setup }

if (process.argv[1] === fileURLToPath(import.meta.url)) await page.always()
