import { expect, test } from 'vitest'
import { cards, payerAt } from '../../../../test/support/checkout.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const shop = 'https://shop.example.com'

async function createKey({ post }: Workspace): Promise<string> {
  return (await post('/api-tokens', { name: 'Shop', kind: 'publishable' })).body.token
}

async function ancestorsFor(token: string, origin: string): Promise<string> {
  const path = `/e/${token}/payment?origin=${encodeURIComponent(origin)}`
  const { headers, status } = await switchyard.call('test', 'GET', path)
  expect([status, headers.get('x-frame-options')]).toEqual([200, null])
  return /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? ''
}

test('allowed origins can be set and cleared, a repeated update has no effect, and changes are audited', async () => {
  const { get, put } = await switchyard.newWorkspace()
  expect((await get('/workspace')).body.elements).toEqual({ allowed_origins: [] })

  const changed = await put('/workspace', {
    elements: { allowed_origins: [shop, 'http://localhost:3000', shop] },
  })
  const repeated = await put('/workspace', { elements: { allowed_origins: [shop, 'http://localhost:3000'] } })
  const omitted = await put('/workspace', { elements: {}, name: 'Harbour' })
  const cleared = await put('/workspace', { elements: { allowed_origins: [] } })

  expect(changed.body.elements).toEqual({ allowed_origins: [shop, 'http://localhost:3000'] })
  expect(repeated.headers.get('etag')).toBe(changed.headers.get('etag'))
  expect(omitted.body.elements).toEqual(changed.body.elements)
  expect(cleared.body.elements).toEqual({ allowed_origins: [] })
  const { body: audit } = await get('/audit-entries?act=workspace.elements_changed')
  expect(audit.data.map(({ details }: { details: object }) => details)).toEqual([
    { allowed_origins: '', previous_allowed_origins: `${shop} http://localhost:3000` },
    { allowed_origins: `${shop} http://localhost:3000`, previous_allowed_origins: '' },
  ])
})

test.each([
  'http://shop.example.com',
  'https://shop.example.com/',
  'https://shop.example.com/pay',
  'https://Shop.example.com',
  'https://*.example.com',
  'https://user@shop.example.com',
  "https://shop.example.com; script-src 'unsafe-inline'",
  'https://shop.example.com:443',
  'https://shop..example.com',
  'https://shop.example.com:99999',
  'null',
  '*',
])('%s is rejected as an origin', async (origin) => {
  const { put } = await switchyard.newWorkspace()

  expect(await put('/workspace', { elements: { allowed_origins: [shop, origin] } })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/elements/allowed_origins/1' }] },
  })
})

test('20 origins are allowed, and 21 are not', async () => {
  const { put } = await switchyard.newWorkspace()
  const origins = Array.from({ length: 21 }, (_, index) => `https://shop-${index}.example.com`)

  expect(await put('/workspace', { elements: { allowed_origins: origins } })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/elements/allowed_origins' }] },
  })
  expect((await put('/workspace', { elements: { allowed_origins: origins.slice(1) } })).status).toBe(200)
})

test('only pages of the allowed origins may embed the frame, and only with a publishable token', async () => {
  const workspace = await switchyard.newWorkspace()
  const key = await createKey(workspace)
  expect(await ancestorsFor(key, shop)).toBe("'none'")

  await workspace.put('/workspace', { elements: { allowed_origins: [shop, 'https://www.example.com'] } })

  expect(await ancestorsFor(key, shop)).toBe(`${shop} https://www.example.com`)
  expect(await ancestorsFor(key, 'https://www.example.com')).toBe(`${shop} https://www.example.com`)
  expect(await ancestorsFor(key, 'https://evil.example')).toBe("'none'")
  expect(await ancestorsFor(key, '')).toBe("'none'")
  expect(await ancestorsFor(workspace.token, shop)).toBe("'none'")
  expect(await ancestorsFor('pk_test_unknown', shop)).toBe("'none'")
  expect(await ancestorsFor(await createKey(await switchyard.newWorkspace()), shop)).toBe("'none'")
  const live = await switchyard.newWorkspace('live')
  await live.put('/workspace', { elements: { allowed_origins: [shop] } })
  expect(await ancestorsFor(await createKey(live), shop)).toBe("'none'")
})

test('pages of every origin may load the script of the elements', async () => {
  const { status, headers } = await switchyard.call('test', 'GET', '/elements/v1.js')
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  const cached = await switchyard.call('test', 'GET', '/elements/v1.js', undefined, {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  })
  expect(cached.status).toBe(304)
})

test('a payer returns only to pages of the allowed origins', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.put('/workspace', { elements: { allowed_origins: [shop] } })
  const { body: session } = await workspace.post('/checkout-sessions', { amount: 1_299, currency: 'eur' })
  const payer = payerAt(switchyard.addresses.test)
  const payWith = (return_url: string) => payer.pay(session, cards.requiresAuthentication, { return_url })

  for (const url of [
    'https://evil.example/',
    `${shop}.evil.example/`,
    'javascript:alert(1)',
    `https://x@shop.example.com/`,
  ])
    expect(await payWith(url), url).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/return_url', code: 'not_in_list' }] },
    })
  expect(await payWith(`${shop}/orders/1`)).toMatchObject({ status: 200, body: { status: 'processing' } })
  expect((await workspace.get('/payments')).body.data).toMatchObject([{ return_url: `${shop}/orders/1` }])
})
