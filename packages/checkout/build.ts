// Builds the payment page: `npm run build:checkout`. Other scripts call `buildIfStale`.

import { fileURLToPath } from 'node:url'
import { pageBuild } from '../../scripts/pages/build.ts'

const page = pageBuild(import.meta.dirname, ['src', 'locales'])

export const buildIfStale = page.ifStale
/** Called by Vitest before the tests. */
export { buildIfStale as setup }

if (process.argv[1] === fileURLToPath(import.meta.url)) await page.always()
