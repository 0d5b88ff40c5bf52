// `npm run release:sdk-api`: from now on changes of the SDK are compared with what it is today. Run it when a
// version of the SDK is released, after raising the version in its package.json and `npm run generate`.

import { copyFileSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../packages/sdk/api')
copyFileSync(resolve(folder, 'current.txt'), resolve(folder, 'released.txt'))
