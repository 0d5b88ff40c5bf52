// The READMEs of the examples are correct: every example has a row in the table, and every reference to a
// line points to the quoted code.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryPaths, root } from './support/repository.ts'

const readText = (path: string) => readFileSync(join(root, path), 'utf8')
const paths = repositoryPaths().filter((path) => path.startsWith('examples/'))

test('every example has a row in the table of examples', () => {
  const table = readText('examples/README.md')
  // Code that several examples share is not an example.
  const names = new Set(
    paths
      .map((path) => path.split('/')[1] ?? '')
      .filter((name) => !/^(README\.md|connection\.ts)$/.test(name)),
  )

  expect(
    [...names].filter((name) => !table.includes(`| [${name}](`) && !table.includes(`| \`${name}\` `)),
  ).toEqual([])
})

const lineReferences = paths
  .filter((path) => path.endsWith('README.md'))
  .flatMap((page) =>
    [...readText(page).matchAll(/\[`([\w.]+)` line (\d+)\]\(\1#L\2\): `([^`]+)`/g)].map(
      ([, file = '', line = '', code = '']) => ({
        page,
        file: join(dirname(page), file),
        line: Number(line),
        code,
      }),
    ),
  )

test.each(lineReferences)(
  'line $line of $file contains the code that $page quotes',
  ({ file, line, code }) => {
    expect(readText(file).split('\n')[line - 1]).toContain(code)
  },
)

test('the README of the shop refers to the lines of all six rules', () => {
  expect(lineReferences.filter(({ page }) => page === 'examples/shop/README.md')).toHaveLength(6)
})
