import { expect, test } from 'vitest'
import { destinationAfterSignIn } from './destination.ts'

const origin = 'https://dashboard.example'

test.each(['/', '/ws_1/payments?status=failed', '/ws_1/payments#top', '/a//b', '/.//evil.example/'])(
  '%j stays in the dashboard',
  (to) => {
    expect(destinationAfterSignIn(to, origin)).toBe(origin + to.replace('/./', '/'))
  },
)

test.each([
  '//evil.example/',
  '/\\evil.example/',
  '\\\\evil.example/',
  '/\t/evil.example/',
  '/\n/evil.example/',
  '/\r\\evil.example/',
  '\t//evil.example/',
  ' //evil.example/',
  'https://evil.example/',
  'https:evil.example',
  'javascript:alert(1)',
  `blob:${origin}/1`,
  'evil.example',
  '',
  '//',
  '///evil.example',
  undefined,
  7,
])('%j leads to the start page', (to) => {
  expect(destinationAfterSignIn(to, origin)).toBe(`${origin}/`)
})
