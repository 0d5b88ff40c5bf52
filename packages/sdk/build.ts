// `npm run build -w @switchyard/sdk` writes dist, a package that plain JavaScript can use. Inside this repository the
// TypeScript sources are used directly, so the package.json of the sources points to TypeScript and cannot be
// published as it is. `npm run pack:sdk` at the root packs the build: see pack.ts.

import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const here = import.meta.dirname
const root = resolve(here, '../..')

export function buildSdk(outDir: string): void {
  rmSync(outDir, { recursive: true, force: true })
  // Editors show the comments in the declarations, so the JavaScript does not need them.
  compile(outDir, '--removeComments')
  for (const name of readdirSync(outDir).filter((file) => file.endsWith('.js'))) indentWithTabs(outDir, name)
  compile(outDir, '--declaration', '--emitDeclarationOnly')
  for (const name of readdirSync(outDir).filter((file) => file.endsWith('.d.ts')))
    rewriteImports(outDir, name)

  writeFileSync(join(outDir, 'package.json'), publishedPackage(read('package.json'), './'))
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

/** The compiler indents with four spaces. Tabs make the compressed package smaller. No text spans several lines. */
function indentWithTabs(outDir: string, name: string): void {
  const file = join(outDir, name)
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4)),
  )
}

/** Changes `.ts` imports in declarations to `.js`. The compiler does not rewrite them there. */
function rewriteImports(outDir: string, name: string): void {
  const file = join(outDir, name)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w.-]+)\.ts'/g, "$1.js'"))
}

/** The package.json of the built package, with its JavaScript in `folder`. */
export function publishedPackage(source: string, folder: './' | './dist/'): string {
  const { scripts: _, files, exports: sourceExports, ...rest } = JSON.parse(source)
  const exports = Object.fromEntries(
    Object.entries(sourceExports).map(([name, path]) => {
      const file = String(path).replace('./src/', folder).replace(/\.ts$/, '')
      return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
    }),
  )
  const published = { ...rest, ...(folder === './' ? {} : { files }), exports }
  return `${JSON.stringify(published, null, 2)}\n`
}

const read = (path: string) => readFileSync(join(here, path), 'utf8')

if (import.meta.main) buildSdk(join(here, 'dist'))
