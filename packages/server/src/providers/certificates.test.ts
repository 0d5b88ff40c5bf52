// Certificates are fetched only over HTTPS and only from the hosts that a provider declares.

import { expect, test } from 'vitest'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import { createCertificates } from './certificates.ts'
import type { Provider } from './contract.ts'

const pem = '-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n'
const timings = { durationMs: 1, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }

const provider = {
  webhooks: {
    signature: 'time',
    certificate: { hosts: ['api.psp.example.com'], urlIn: ({ headers }) => headers['cert-url'] ?? null },
    verify: () => 'valid',
    parse: () => [],
  },
} satisfies Partial<Provider> as unknown as Provider

function setUp(bodies: string[]) {
  const urls: string[] = []
  const certificates = createCertificates({
    async send({ url }): Promise<OutboundReply> {
      urls.push(url)
      const body = bodies.shift() ?? ''
      const details = { timings, connectionReused: false, remoteIp: null }
      return { kind: 'answered', status: 200, headers: {}, body, truncated: false, ...details }
    },
  })
  const find = (url: string) => {
    const call = { method: 'POST', path: '/', headers: { 'cert-url': url }, body: new Uint8Array() }
    return certificates.find(provider, call, 'live')
  }
  return { find, urls }
}

test('a certificate is fetched once', async () => {
  const { find, urls } = setUp([pem])
  const url = 'https://api.psp.example.com/certs/1'
  expect([await find(url), await find(url)]).toEqual([pem, pem])
  expect(urls).toEqual([url])
})

test('a response that is not a certificate is not cached', async () => {
  const { find, urls } = setUp(['<html>', pem])
  const url = 'https://api.psp.example.com/certs/1'
  expect([await find(url), await find(url)]).toEqual([null, pem])
  expect(urls).toHaveLength(2)
})

test.each([
  ['https://attacker.example.com/certs/1'],
  ['https://api.psp.example.com.attacker.example.com/'],
  ['https://api.psp.example.com@attacker.example.com/'],
  ['http://api.psp.example.com/certs/1'],
  ['file:///etc/passwd'],
  ['certs/1'],
  [''],
])('%s is not fetched', async (url) => {
  const { find, urls } = setUp([pem])
  expect(await find(url)).toBe(null)
  expect(urls).toEqual([])
})
