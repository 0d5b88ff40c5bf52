// An account that a published route uses cannot be archived.

import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

async function anAccount({ post }: Workspace): Promise<string> {
  const config = { base_url: 'http://127.0.0.1:1024' }
  return (await post('/provider-accounts', { provider: 'custom', display_name: 'Ours', config })).body.id
}

async function setUp() {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await anAccount(workspace), await anAccount(workspace)]
  const only = (target: string) => ({ type: 'priority', targets: [target] })
  const publish = (members: object) => workspace.post('/payment-routes', { name: 'Cards', ...members })
  const archive = (id: string) => workspace.post(`/provider-accounts/${id}/archive`)
  return { ...workspace, first, second, only, publish, archive }
}

const euros = { field: 'currency', op: 'eq', value: 'eur' }

test('archiving an account is rejected while a published route uses it, and the error names the route', async () => {
  const { first, second, only, publish, archive, put, get } = await setUp()
  const rules = [{ name: 'Euros', when: euros, then: only(first) }]
  const { body: route } = await publish({ rules, default: only(second) })

  const response = await archive(first)

  expect(response).toMatchObject({ status: 409, body: { code: 'invalid_state', current_status: 'active' } })
  expect(response.body.detail).toBe(
    `A published payment route sends payments to this account: "Cards" (${route.id}).`,
  )
  expect(response.body.allowed_actions).toContain('disable')
  expect(response.body.allowed_actions).not.toContain('archive')
  expect((await get(`/provider-accounts/${first}`)).body.status).toBe('active')
  // Only the published revision counts: a draft or an earlier revision does not need the account.
  await put(`/payment-routes/${route.id}`, { rules: [] })
  await put(`/payment-routes/${route.id}`, { rules, draft: true })
  expect((await archive(first)).status).toBe(200)
  expect((await archive(second)).status).toBe(409)
})

test('split targets, fallbacks and route defaults count too, and archived routes do not', async () => {
  const { first, second, publish, archive, post, only } = await setUp()
  const third = (await setUp()).first
  const targets = [{ provider_account_id: first, weight: 100 }]
  const then = { type: 'split', targets, fallback: [second] }
  const split = (await publish({ rules: [{ name: 'Euros', when: euros, then }], default: only(second) })).body

  expect((await archive(first)).body.detail).toContain(split.id)
  expect((await archive(second)).body.detail).toContain(split.id)
  await post(`/payment-routes/${split.id}/archive`)
  expect((await archive(first)).status).toBe(200)
  expect((await archive(first)).status).toBe(200)
  // An account of another workspace.
  expect((await archive(third)).status).toBe(404)
})

test('if many routes use the account, the error names five and counts the others', async () => {
  const { first, only, publish, archive } = await setUp()
  for (let nth = 1; nth <= 7; nth += 1) await publish({ name: `Route ${nth}`, default: only(first) })

  const { detail } = (await archive(first)).body

  expect(detail).toMatch(
    /^Published payment routes send payments to this account: "Route 1" \(payment_route_/,
  )
  expect(detail).toMatch(/"Route 5" \([a-z_]+\w+\) and 2 more\.$/)
})

test('if a route is published while its account is archived, one of the two requests is rejected', async () => {
  const { first, publish, archive, only, ...workspace } = await setUp()
  for (let round = 0; round < 20; round += 1) {
    const account = await anAccount(workspace)
    const { body: route } = await publish({ default: only(account), draft: true })

    const responses = await Promise.all([
      workspace.post(`/payment-routes/${route.id}/revisions/1/publish`),
      archive(account),
    ])

    const statuses = responses.map(({ status }) => status)
    expect([
      [200, 409],
      [422, 200],
    ]).toContainEqual(statuses)
    await workspace.post(`/payment-routes/${route.id}/archive`)
    await archive(account)
  }
})
