// `npm run build -w @switchyard/sdk`: writes dist, a package of its own that plain JavaScript can use.
// Publish that folder (`npm publish packages/sdk/dist`). Within this repository the sources are used as
// they are, so their package.json points at TypeScript, which nobody outside could run.

import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const here = import.meta.dirname
const root = resolve(here, '../..')

export function buildSdk(outDir: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = join(here, 'tsconfig.build.json')
  rmSync(outDir, { recursive: true, force: true })
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', outDir], { stdio: 'inherit' })

  const { scripts: _, ...described } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  const published = { ...described, exports: { '.': { types: './index.d.ts', default: './index.js' } } }
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  copyFileSync(join(here, 'README.md'), join(outDir, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(outDir, 'LICENSE'))
}

if (import.meta.main) buildSdk(join(here, 'dist'))
