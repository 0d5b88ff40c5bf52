// Builds the payment page: `npm run build:checkout`. Whoever needs it calls `buildIfStale`.

import { fileURLToPath } from 'node:url'
import { pageBuild } from '../../scripts/pages/build.ts'

const page = pageBuild(import.meta.dirname, ['src', 'locales'])

export const buildIfStale = page.ifStale
/** What vitest calls before the tests. */
export { buildIfStale as setup }

if (process.argv[1] === fileURLToPath(import.meta.url)) await page.always()
