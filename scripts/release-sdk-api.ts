// `npm run release:sdk-api`: saves the current API report as the report of the last release, with which later changes
// are compared. Run it when a version of the SDK is released, after increasing the version in its package.json and
// running `npm run generate`.

import { copyFileSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../packages/sdk/api')
copyFileSync(resolve(folder, 'current.txt'), resolve(folder, 'released.txt'))
