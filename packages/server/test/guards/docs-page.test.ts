// The reference is served whole by the server itself: an installation without the internet has it too, and
// no other host learns who reads it.

import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()

test('the reference takes nothing from another host', async () => {
  const { status, headers, body: html } = await switchyard.call('test', 'GET', '/docs/')
  const taken = [...html.matchAll(/\b(?:src|href|action)\s*=\s*["']?([^"'\s>]+)/gi)].map(
    ([, address]) => address,
  )

  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(taken).toEqual([expect.stringMatching(/scalar\.js$/)])
  expect(taken.filter((address) => /^(https?:)?\/\//.test(address))).toEqual([])
  expect(html).toContain('/openapi.json')
})

test('its script comes from the server itself', async () => {
  const { body: html } = await switchyard.call('test', 'GET', '/docs/')
  const script = new URL(/src="([^"]+)"/.exec(html)?.[1] ?? '', `${switchyard.addresses.test}/docs/`)

  const answer = await fetch(script)

  expect(script.origin).toBe(switchyard.addresses.test)
  expect(answer.headers.get('content-type')).toContain('javascript')
  expect((await answer.text()).length).toBeGreaterThan(100_000)
})

test.each(['/docs/', '/docs/errors/conflict'])(
  'the browser is told to load nothing else at %s',
  async (path) => {
    const { headers } = await switchyard.call('test', 'GET', path)
    const policy = headers.get('content-security-policy') ?? ''

    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|'unsafe-eval'/)
  },
)
