// The pages of the examples say what is there: every example has its row, and every line that is named is that line.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryPaths, root } from './support/repository.ts'

const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const paths = repositoryPaths().filter((path) => path.startsWith('examples/'))

test('every example has a row in the table of examples', () => {
  const table = textOf('examples/README.md')
  // What several examples share is no example.
  const names = new Set(
    paths
      .map((path) => path.split('/')[1] ?? '')
      .filter((name) => !/^(README\.md|connection\.ts)$/.test(name)),
  )

  expect(
    [...names].filter((name) => !table.includes(`| [${name}](`) && !table.includes(`| \`${name}\` `)),
  ).toEqual([])
})

const named = paths
  .filter((path) => path.endsWith('README.md'))
  .flatMap((page) =>
    [...textOf(page).matchAll(/\[`([\w.]+)` line (\d+)\]\(\1#L\2\): `([^`]+)`/g)].map(
      ([, file = '', line = '', code = '']) => ({
        page,
        file: join(dirname(page), file),
        line: Number(line),
        code,
      }),
    ),
  )

test.each(named)('$file has at line $line what $page says', ({ file, line, code }) => {
  expect(textOf(file).split('\n')[line - 1]).toContain(code)
})

test('the six rules of the shop are named with their lines', () => {
  expect(named.filter(({ page }) => page === 'examples/shop/README.md')).toHaveLength(6)
})
