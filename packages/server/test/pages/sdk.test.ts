// The SDK in a browser: it verifies webhooks, calls the API and follows the event stream as in Node.js.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../../../scripts/services/chromium.ts'
import { bundledProbe } from '../../../sdk/test/runtimes/bundle.ts'
import { expected, type probe } from '../../../sdk/test/runtimes/probe.ts'
import { probeInputFor } from '../../../sdk/test/runtimes/probe-input.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const browser = await startChromium()
afterAll(() => browser.close())

/**
 * Serves a page and the API at one origin, because the API allows no cross-origin requests: secret tokens
 * must not be used in pages.
 */
async function startSameOriginProxy(address: string): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>SDK</title>')
      return
    }
    const { host: _host, connection: _connection, ...headers } = request.headers
    const upstream = await fetch(address + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(request.method === 'GET'
        ? {}
        : { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
    })
    response.writeHead(upstream.status, Object.fromEntries(upstream.headers))
    if (upstream.body)
      Readable.fromWeb(upstream.body as never)
        .on('error', () => {})
        .pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('in Chromium, the SDK verifies all webhook test vectors, calls the API and follows events', async () => {
  const { address, token } = await switchyard.newWorkspace()
  const origin = await startSameOriginProxy(address)
  const page = await browser.newPage()
  await page.goto(origin)
  await page.addScriptTag({ content: await bundledProbe('iife') })

  const result = await page.evaluate(
    (input) => (globalThis as unknown as { sdk: { probe: typeof probe } }).sdk.probe(input),
    await probeInputFor({ baseUrl: origin, token }),
  )

  expect(result).toEqual(expected)
})
