// `npm run build -w @switchyard/sdk`: writes dist, a package of its own that plain JavaScript can use.
// Publish that folder (`npm publish packages/sdk/dist`). Within this repository the sources are used as
// they are, so their package.json points at TypeScript, which nobody outside could run.

import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const here = import.meta.dirname
const root = resolve(here, '../..')

export function buildSdk(outDir: string): void {
  rmSync(outDir, { recursive: true, force: true })
  // Editors show the comments of the declarations; in the code they would only be carried about.
  compile(outDir, '--removeComments')
  compile(outDir, '--declaration', '--emitDeclarationOnly')
  for (const name of readdirSync(outDir).filter((file) => file.endsWith('.d.ts'))) nameScripts(outDir, name)

  const { scripts: _, exports: entries, ...described } = JSON.parse(read('package.json'))
  const published = { ...described, exports: Object.fromEntries(Object.entries(entries).map(publishedEntry)) }
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  copyFileSync(join(here, 'README.md'), join(outDir, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(outDir, 'LICENSE'))
}

function compile(outDir: string, ...options: readonly string[]): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = join(here, 'tsconfig.build.json')
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', outDir, ...options], {
    stdio: 'inherit',
  })
}

/** Declarations stand for scripts, and name their neighbours so. The compiler leaves the names of the sources. */
function nameScripts(outDir: string, name: string): void {
  const file = join(outDir, name)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w.-]+)\.ts'/g, "$1.js'"))
}

/** `./src/index.ts` of the sources is `index.js` with `index.d.ts` in the package. */
function publishedEntry([name, source]: [string, unknown]) {
  const file = String(source).replace('./src/', './').replace(/\.ts$/, '')
  return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
}

const read = (path: string) => readFileSync(join(here, path), 'utf8')

if (import.meta.main) buildSdk(join(here, 'dist'))
