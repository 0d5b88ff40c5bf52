import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

async function anAccount({ post }: Workspace, members: object = {}): Promise<string> {
  const base = {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: 'http://127.0.0.1:1024' },
  }
  return (await post('/provider-accounts', { ...base, ...members })).body.id
}

async function setUp() {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await anAccount(workspace), await anAccount(workspace)]
  const euros = {
    name: 'Euros',
    when: { all: [{ field: 'currency', op: 'eq', value: 'eur' }] },
    then: { type: 'priority', targets: [second, first] },
  }
  const definition = {
    name: 'Cards',
    rules: [euros],
    default: { type: 'priority', targets: [first, second] },
  }
  return { ...workspace, first, second, euros, definition }
}

test('a new route is published with all defaults filled in, at the path with and without a trailing slash', async () => {
  const { post, get, definition, eventsOf } = await setUp()

  const created = await post('/payment-routes/', { ...definition, metadata: { team: 'payments' } })

  expect(created.status).toBe(201)
  const { lint, ...route } = created.body
  expect(lint).toEqual([])
  expect(route).toEqual({
    id: expect.stringMatching(/^payment_route_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'payment_route',
    status: 'active',
    is_default: false,
    revision: 1,
    latest_revision: 1,
    ...definition,
    failover: { max_attempts: 2, budget_ms: 20_000, on: ['technical', 'configuration', 'soft'] },
    limits: null,
    examples: [],
    metadata: { team: 'payments' },
    created_at: '2026-11-14T12:00:00.000Z',
    updated_at: '2026-11-14T12:00:00.000Z',
  })
  expect((await get(`/payment-routes/${route.id}`)).body).toEqual(route)
  expect((await get('/payment-routes')).body.data).toEqual([route])
  expect((await eventsOf(route.id)).map(({ type }: { type: string }) => type)).toEqual([
    'payment_route.created',
  ])
  expect((await post('/payment-routes', definition)).status).toBe(201)
})

test('a draft changes nothing until it is published, and then its revision decides', async () => {
  const { post, put, get, definition, first, second, eventsOf } = await setUp()
  const { body: route } = await post('/payment-routes', definition)
  const path = `/payment-routes/${route.id}`
  const other = { type: 'priority', targets: [second, first] }

  const saved = await put(path, { default: other, draft: true, if_revision: 1 })

  expect(saved.body).toMatchObject({ revision: 1, latest_revision: 2, default: definition.default })
  expect((await get(`${path}/revisions/2`)).body).toMatchObject({
    number: 2,
    default: other,
    rules: definition.rules,
    published_at: null,
    copy_of: null,
  })

  const published = await post(`${path}/revisions/2/publish`)

  expect(published.body).toMatchObject({ revision: 2, latest_revision: 2, default: other })
  const { body: revisions } = await get(`${path}/revisions`)
  expect(
    revisions.data.map(({ number, published_at }: Record<string, unknown>) => [number, published_at]),
  ).toEqual([
    [2, '2026-11-14T12:00:00.000Z'],
    [1, '2026-11-14T12:00:00.000Z'],
  ])
  expect((await eventsOf(route.id)).map(({ type }: { type: string }) => type)).toEqual([
    'payment_route.created',
    'payment_route.updated',
    'payment_route.published',
  ])
})

test('a revision names the token or the person who wrote it', async () => {
  const { post, get, definition, aPerson, workspaceId } = await setUp()
  const { body: route } = await post('/payment-routes', definition)
  const path = `/payment-routes/${route.id}`
  const person = await aPerson('ADMIN')
  const token = await (await switchyard.signIn(person)).tokenFor(workspaceId)
  await switchyard.call('test', 'PUT', path, { name: 'By a person' }, { token })

  const { body } = await get(`${path}/revisions`)

  expect(body.data).toMatchObject([
    { number: 2, api_token_id: null, person_id: person.id },
    { number: 1, api_token_id: expect.stringMatching(/^api_token_/), person_id: null },
  ])
})

test('publishing an old revision copies it, so that history is preserved', async () => {
  const { post, put, get, definition } = await setUp()
  const { body: route } = await post('/payment-routes', definition)
  const path = `/payment-routes/${route.id}`
  await put(path, { name: 'Cards, changed', rules: [] })

  const rollback = await post(`${path}/revisions/1/publish`)

  expect(rollback.body).toMatchObject({
    revision: 3,
    latest_revision: 3,
    name: 'Cards',
    rules: definition.rules,
  })
  expect((await get(`${path}/revisions/3`)).body.copy_of).toBe(1)
  expect((await get(`${path}/revisions/3/diff?against=1`)).body.changes).toEqual([])
  expect((await post(`${path}/revisions/3/publish`)).body.revision).toBe(3)
})

test('a diff reports each change with its location and a description', async () => {
  const { post, put, get, definition, euros, first } = await setUp()
  const dollars = { ...euros, name: 'Dollars', when: { field: 'currency', op: 'eq', value: 'usd' } }
  const pounds = { ...euros, name: 'Pounds', when: { field: 'currency', op: 'eq', value: 'gbp' } }
  const { body: route } = await post('/payment-routes', { ...definition, rules: [euros, dollars, pounds] })
  const path = `/payment-routes/${route.id}`
  const only = { type: 'priority', targets: [first] }
  await put(path, {
    rules: [
      pounds,
      { ...euros, then: only },
      { ...pounds, name: 'Francs', when: { field: 'currency', op: 'eq', value: 'chf' } },
    ],
    failover: { max_attempts: 3 },
  })

  const { body } = await get(`${path}/revisions/2/diff?against=1`)

  expect(body).toMatchObject({ object: 'payment_route_diff', revision: 2, against: 1 })
  expect(
    body.changes.map(({ pointer, change, words }: Record<string, string>) => [pointer, change, words]),
  ).toEqual([
    ['/failover/max_attempts', 'changed', 'failover max attempts changed'],
    ['/rules/1', 'removed', 'rule "Dollars" was removed'],
    ['/rules/1/then/targets', 'changed', 'rule "Euros": then targets changed'],
    ['/rules/2', 'added', 'rule "Francs" was added'],
    ['/rules/1', 'moved', 'rule "Euros" moved from position 1 to 2'],
  ])
  expect((await get(`${path}/revisions/1/diff`)).body).toMatchObject({ against: 2 })
})

test('an update based on a revision that is not the newest is rejected, and nothing changes', async () => {
  const { post, put, get, definition } = await setUp()
  const { body: route } = await post('/payment-routes', definition)
  const path = `/payment-routes/${route.id}`
  await put(path, { name: 'Mine', draft: true })

  const outdated = await put(path, { name: 'Yours', if_revision: 1 })

  expect([outdated.status, outdated.body.code]).toEqual([412, 'version_mismatch'])
  expect((await get(`${path}`)).body.latest_revision).toBe(2)
  expect((await put(path, { metadata: { a: 'b' } }, { headers: { 'if-match': '"1"' } })).status).toBe(412)
})

test('an identical definition creates no revision, and metadata is not part of revisions', async () => {
  const { post, put, definition, eventsOf } = await setUp()
  const { body: route } = await post('/payment-routes', definition)
  const path = `/payment-routes/${route.id}`

  expect((await put(path, definition)).body).toMatchObject({ latest_revision: 1, revision: 1 })
  await put(path, { name: 'A draft', draft: true })
  // Other changes do not publish a draft.
  expect((await put(path, { metadata: { team: 'x' } })).body).toMatchObject({
    latest_revision: 2,
    revision: 1,
  })
  expect((await put(path, { name: 'A draft' })).body).toMatchObject({
    latest_revision: 2,
    revision: 2,
    name: 'A draft',
  })
  expect(await eventsOf(route.id)).toHaveLength(4)
})

test('a workspace has one default route: a new one replaces it, and both emit events', async () => {
  const { post, put, get, definition, eventsOf } = await setUp()
  const { body: first } = await post('/payment-routes', { ...definition, is_default: true })

  const { body: second } = await post('/payment-routes', { ...definition, is_default: true })

  expect([first.is_default, second.is_default]).toEqual([true, true])
  expect((await get(`/payment-routes/${first.id}`)).body.is_default).toBe(false)
  expect((await eventsOf(first.id)).at(-1)).toMatchObject({
    type: 'payment_route.updated',
    previous: { is_default: true },
  })
  await put(`/payment-routes/${first.id}`, { is_default: true })
  expect((await get(`/payment-routes/${second.id}`)).body.is_default).toBe(false)
  const responses = await Promise.all(
    [first, second, first, second].map(({ id }) => put(`/payment-routes/${id}`, { is_default: true })),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const { body: list } = await get('/payment-routes')
  expect(list.data.filter((route: { is_default: boolean }) => route.is_default)).toHaveLength(1)
})

test('the default route cannot be archived, another route can, and an archived route cannot be changed', async () => {
  const { post, put, definition } = await setUp()
  const { body: route } = await post('/payment-routes', { ...definition, is_default: true })
  const path = `/payment-routes/${route.id}`

  expect((await post(`${path}/archive`)).body).toMatchObject({
    code: 'invalid_state',
    allowed_actions: ['update', 'publish'],
  })
  await put(path, { is_default: false })
  expect((await post(`${path}/archive`)).body).toMatchObject({ status: 'archived' })
  expect((await post(`${path}/archive`)).status).toBe(200)
  expect((await put(path, { name: 'Too late' })).body.code).toBe('invalid_state')
  expect((await post(`${path}/revisions/1/publish`)).body.code).toBe('invalid_state')
})

test('a route can only be deleted if it was never published', async () => {
  const { post, get, delete: remove, definition } = await setUp()
  const { body: published } = await post('/payment-routes', definition)
  const { body: draft } = await post('/payment-routes', { ...definition, draft: true })

  expect((await remove(`/payment-routes/${published.id}`)).body.code).toBe('invalid_state')
  const deleted = { id: draft.id, object: 'payment_route', deleted: true }
  expect((await remove(`/payment-routes/${draft.id}`)).body).toEqual(deleted)
  expect((await remove(`/payment-routes/${draft.id}`)).body).toEqual(deleted)
  expect((await get(`/payment-routes/${draft.id}`)).status).toBe(404)
  expect((await get('/payment-routes')).body.data).toHaveLength(1)
})

test('a draft cannot be the default, and is shown with its definition', async () => {
  const { post, put, definition } = await setUp()

  expect(
    (await post('/payment-routes', { ...definition, draft: true, is_default: true })).body.errors,
  ).toEqual([{ pointer: '/is_default', code: 'not_together', detail: 'cannot be combined with draft' }])
  const { body: draft } = await post('/payment-routes', { ...definition, draft: true })
  expect(draft).toMatchObject({ revision: null, latest_revision: 1, name: 'Cards' })
  expect((await put(`/payment-routes/${draft.id}`, { is_default: true })).status).toBe(400)
})

test('every validation error is reported with its location', async () => {
  const { post, definition, first, euros } = await setUp()
  const leaf = { field: 'currency', op: 'eq', value: 'eur' }
  const rules = [
    { ...euros, name: 'One', when: { field: 'curency', op: 'eq', value: 'eur' } },
    { ...euros, name: 'Two', when: { field: 'amount', op: 'starts_with', value: 1 } },
    { ...euros, name: 'Three', when: { any: [] } },
    { ...euros, name: 'Four', when: { all: [leaf], any: [leaf] } },
    { ...euros, name: 'Five', when: { not: { not: { not: { not: leaf } } } } },
    { ...euros, name: 'Six', when: { field: 'amount', op: 'between', value: [9, 1] } },
    { ...euros, name: 'Six', when: { field: 'card.country', op: 'in', value: ['Germany'] } },
    { ...euros, name: 'Seven', when: { all: Array.from({ length: 51 }, () => leaf) } },
  ]
  const split = { type: 'split', targets: [{ provider_account_id: first, weight: 80 }] }

  const { status, body } = await post('/payment-routes', {
    ...definition,
    rules,
    default: split,
    examples: [{ name: 'a', payment: { amount: 1 }, expect: { decline: true } }],
  })

  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
    '/rules/6/name not_together',
    '/rules/0/when/field not_in_list',
    '/rules/1/when/op not_in_list',
    '/rules/2/when/any too_short',
    '/rules/3/when bad_format',
    '/rules/4/when/not/not/not/not too_many',
    '/rules/5/when/value bad_format',
    '/rules/6/when/value bad_format',
    '/rules/7/when/all too_many',
    '/default/targets not_together',
    '/examples/0/payment/currency required',
  ])
})

test('a workspace has at most a hundred routes that are not archived', async () => {
  const { post, first } = await setUp()
  const small = { name: 'Small', default: { type: 'priority', targets: [first] } }
  for (let batch = 0; batch < 10; batch += 1)
    await Promise.all(Array.from({ length: 10 }, () => post('/payment-routes', small)))

  const oneMore = await post('/payment-routes', small)

  expect(oneMore.body).toMatchObject({ code: 'limit_reached' })
}, 30_000)

test('a page of large routes or revisions is shorter, and the next page continues', async () => {
  const workspace = await switchyard.newWorkspace()
  const manyValues = (rule: number) =>
    Array.from({ length: 300 }, (_, nth) => `${rule} ${nth}`.padEnd(100, 'x'))
  const rules = [1, 2, 3, 4].map((rule) => {
    const when = { field: 'metadata.a', op: 'in', value: manyValues(rule) }
    return { name: `Rule ${rule}`, when, then: { type: 'decline' } }
  })
  const ids: string[] = []
  for (const name of ['A', 'B', 'C', 'D', 'E']) {
    const { body } = await workspace.post('/payment-routes', {
      name,
      rules,
      default: { type: 'decline' },
      draft: true,
    })
    ids.push(body.id)
  }
  const [path] = ids.map((id) => `/payment-routes/${id}/revisions`)
  for (const name of ['B', 'C', 'D', 'E']) {
    await workspace.put(`/payment-routes/${ids[0]}`, { name, draft: true })
  }
  const pagesOf = async (list: string) => {
    const sizes: number[] = []
    const pageIds: string[] = []
    let after = ''
    for (;;) {
      const { body } = await workspace.get(`${list}?limit=100${after}`)
      sizes.push(body.data.length)
      pageIds.push(...body.data.map(({ id }: { id: string }) => id))
      if (!body.has_more) return { sizes, ids: pageIds }
      after = `&starting_after=${pageIds.at(-1)}`
    }
  }

  expect(await pagesOf('/payment-routes')).toEqual({ sizes: [4, 1], ids: ids.toReversed() })
  const revisions = await pagesOf(String(path))
  expect(revisions.sizes).toEqual([4, 1])
  expect(new Set(revisions.ids).size).toBe(5)
  const { body: newer } = await workspace.get(`/payment-routes?limit=100&ending_before=${ids[0]}`)
  expect(newer.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 5).toReversed())
})

test('the newest draft is published and made the default in one call', async () => {
  const workspace = await switchyard.newWorkspace()
  const declining = { name: 'Cards', default: { type: 'decline' } }
  const { body: former } = await workspace.post('/payment-routes', { ...declining, is_default: true })
  const { body: route } = await workspace.post('/payment-routes', { ...declining, draft: true })
  await workspace.put(`/payment-routes/${route.id}`, { name: 'Newer', draft: true })

  const { body } = await workspace.put(`/payment-routes/${route.id}`, { draft: false, is_default: true })

  expect(body).toMatchObject({ revision: 2, latest_revision: 2, is_default: true, name: 'Newer' })
  expect((await workspace.get(`/payment-routes/${former.id}`)).body.is_default).toBe(false)
})

test('a draft with an error is neither published nor made the default', async () => {
  const workspace = await switchyard.newWorkspace()
  const targets = ['provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1']
  const { body: route } = await workspace.post('/payment-routes', {
    name: 'Cards',
    default: { type: 'priority', targets },
    draft: true,
  })

  const { status, body } = await workspace.put(`/payment-routes/${route.id}`, {
    draft: false,
    is_default: true,
  })

  expect([status, body.code]).toEqual([422, 'route_invalid'])
  expect((await workspace.get(`/payment-routes/${route.id}`)).body).toMatchObject({
    revision: null,
    is_default: false,
  })
})
