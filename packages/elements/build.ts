// `npm run build -w @switchyard/elements` writes dist, a package that plain JavaScript can use. `npm run pack:elements` at
// the root packs it. The server also serves the library as one script: see packages/checkout/build.ts.

import { join } from 'node:path'
import { buildPackage } from '../sdk/build.ts'

export const buildElements = (outDir: string) => buildPackage(import.meta.dirname, outDir)

if (import.meta.main) buildElements(join(import.meta.dirname, 'dist'))
