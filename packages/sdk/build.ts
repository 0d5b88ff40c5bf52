// `npm run build -w @switchyard/sdk` writes dist, a package that plain JavaScript can use. Inside this repository the
// TypeScript sources are used directly, so the package.json of the sources points to TypeScript and cannot be
// published as it is. `npm run pack:sdk` at the root packs the build: see pack.ts.

import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { minifySync } from 'rolldown/experimental'

const here = import.meta.dirname
const root = resolve(here, '../..')

export const buildSdk = (outDir: string) => buildPackage(here, outDir)

/** Builds the package in `folder`, which has a tsconfig.build.json. */
export function buildPackage(folder: string, outDir: string): void {
  const compile = (...options: readonly string[]) => compilePackage(folder, outDir, options)
  rmSync(outDir, { recursive: true, force: true })
  // Editors show the comments in the declarations, so the JavaScript does not need them.
  compile('--removeComments')
  for (const name of readdirSync(outDir).filter((file) => file.endsWith('.js'))) minify(outDir, name)
  compile('--declaration', '--emitDeclarationOnly')
  for (const name of readdirSync(outDir).filter((file) => file.endsWith('.d.ts')))
    rewriteImports(outDir, name)

  writeFileSync(
    join(outDir, 'package.json'),
    publishedPackage(readFileSync(join(folder, 'package.json'), 'utf8'), './'),
  )
  copyFileSync(join(folder, 'README.md'), join(outDir, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(outDir, 'LICENSE'))
}

function compilePackage(folder: string, outDir: string, options: readonly string[]): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = join(folder, 'tsconfig.build.json')
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', outDir, ...options], {
    stdio: 'inherit',
  })
}

/** Removes white space and shortens local names. Function names are kept, because stack traces show them. */
function minify(outDir: string, name: string): void {
  const file = join(outDir, name)
  const { code, errors } = minifySync(name, readFileSync(file, 'utf8'), {
    module: true,
    mangle: { keepNames: { function: true, class: true } },
  })
  if (errors.length > 0) throw new Error(`${name} cannot be minified: ${JSON.stringify(errors)}`)
  writeFileSync(file, code)
}

/** Changes `.ts` imports in declarations to `.js`. The compiler does not rewrite them there. */
function rewriteImports(outDir: string, name: string): void {
  const file = join(outDir, name)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w.-]+)\.ts'/g, "$1.js'"))
}

/** The package.json of the built package, with its JavaScript in `folder`. */
export function publishedPackage(source: string, folder: './' | './dist/'): string {
  const { scripts: _, devDependencies: __, files, exports: sourceExports, ...rest } = JSON.parse(source)
  const exports = Object.fromEntries(
    Object.entries(sourceExports).map(([name, path]) => {
      const file = String(path).replace('./src/', folder).replace(/\.ts$/, '')
      return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
    }),
  )
  const published = { ...rest, ...(folder === './' ? {} : { files }), exports }
  return `${JSON.stringify(published, null, 2)}\n`
}

if (import.meta.main) buildSdk(join(here, 'dist'))
