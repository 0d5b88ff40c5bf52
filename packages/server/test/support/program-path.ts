// The path of a program that tests start: its bundle in a vitest run, which starts faster, and otherwise its
// source.

import { resolve } from 'node:path'
import { bundleIn, type Program } from '../../../../scripts/bundle.ts'

const packages = resolve(import.meta.dirname, '../../../')

export function programPath(program: Program): string {
  const folder = process.env.SWITCHYARD_TEST_BUNDLES
  return folder === undefined ? resolve(packages, program, 'src/main.ts') : bundleIn(folder, program)
}
