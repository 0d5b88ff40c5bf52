// The `prepack` and `postpack` scripts of the published packages. In the repository, package.json points to
// the TypeScript sources, so that no build is needed. `npm pack` and `npm publish` send the built JavaScript
// with its types: prepack builds the package and replaces package.json with the published one, and postpack
// restores it. The .npmrc of this repository disables package scripts, so both commands need
// --ignore-scripts=false, which `npm run pack:sdk` passes. Without this option the archive would contain no
// code. The .npmrc therefore makes `npm pack` fail: it sets a destination folder that does not exist.

import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildPackage, publishedPackage } from './build.ts'

// npm runs the scripts of a package in its folder.
const here = process.cwd()
const packageFile = join(here, 'package.json')
const savedPackageFile = join(here, 'package.json.kept')
const licence = join(here, 'LICENSE')

const command = process.argv[2]
if (command === 'prepare') prepare()
else if (command === 'restore') restore()
else throw new Error('Usage: pack.ts prepare|restore')

function prepare(): void {
  // An interrupted run may have left the published package.json in place.
  restore()
  buildPackage(here, join(here, 'dist'))
  const published = publishedPackage(readFileSync(packageFile, 'utf8'), './dist/')
  copyFileSync(packageFile, savedPackageFile)
  copyFileSync(resolve(here, '../../LICENSE'), licence)
  writeFileSync(packageFile, published)
}

function restore(): void {
  if (existsSync(savedPackageFile)) renameSync(savedPackageFile, packageFile)
  rmSync(licence, { force: true })
}
