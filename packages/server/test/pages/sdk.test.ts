// The SDK in a browser: it verifies, calls and follows there as in Node.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../../../scripts/services/chromium.ts'
import { bundledProbe } from '../../../sdk/test/runtimes/bundle.ts'
import { givenFor } from '../../../sdk/test/runtimes/given.ts'
import { expected, type probe } from '../../../sdk/test/runtimes/probe.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const browser = await startChromium()
afterAll(() => browser.close())

/** A page and the API under one origin: secret tokens are for no page, so the API would not let another one in. */
async function siteOf(address: string): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>SDK</title>')
      return
    }
    const { host: _host, connection: _connection, ...headers } = request.headers
    const passed = await fetch(address + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(request.method === 'GET'
        ? {}
        : { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
    })
    response.writeHead(passed.status, Object.fromEntries(passed.headers))
    if (passed.body)
      Readable.fromWeb(passed.body as never)
        .on('error', () => {})
        .pipe(response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('Chromium verifies every vector, calls and follows', async () => {
  const { address, token } = await switchyard.newWorkspace()
  const origin = await siteOf(address)
  const page = await browser.newPage()
  await page.goto(origin)
  await page.addScriptTag({ content: await bundledProbe('iife') })

  const proved = await page.evaluate(
    (given) => (globalThis as unknown as { sdk: { probe: typeof probe } }).sdk.probe(given),
    await givenFor({ baseUrl: origin, token }),
  )

  expect(proved).toEqual(expected)
})
