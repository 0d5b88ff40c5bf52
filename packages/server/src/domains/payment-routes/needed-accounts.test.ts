// An account that a published route sends payments to cannot be archived under it.

import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

async function anAccount({ post }: Workspace): Promise<string> {
  const config = { base_url: 'http://127.0.0.1:1024' }
  return (await post('/provider-accounts', { provider: 'custom', display_name: 'Ours', config })).body.id
}

async function aScene() {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await anAccount(workspace), await anAccount(workspace)]
  const only = (target: string) => ({ type: 'priority', targets: [target] })
  const publish = (members: object) => workspace.post('/payment-routes', { name: 'Cards', ...members })
  const archive = (id: string) => workspace.post(`/provider-accounts/${id}/archive`)
  return { ...workspace, first, second, only, publish, archive }
}

const euros = { field: 'currency', op: 'eq', value: 'eur' }

test('archiving an account is refused while a published route sends payments to it, and the route is named', async () => {
  const { first, second, only, publish, archive, put, get } = await aScene()
  const rules = [{ name: 'Euros', when: euros, then: only(first) }]
  const { body: route } = await publish({ rules, default: only(second) })

  const refused = await archive(first)

  expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state', current_status: 'active' } })
  expect(refused.body.detail).toBe(
    `A published payment route sends payments to this account: "Cards" (${route.id}).`,
  )
  expect(refused.body.allowed_actions).toContain('disable')
  expect(refused.body.allowed_actions).not.toContain('archive')
  expect((await get(`/provider-accounts/${first}`)).body.status).toBe('active')
  // What decides is what is published now: a draft, or what was published before, needs nobody.
  await put(`/payment-routes/${route.id}`, { rules: [] })
  await put(`/payment-routes/${route.id}`, { rules, draft: true })
  expect((await archive(first)).status).toBe(200)
  expect((await archive(second)).status).toBe(409)
})

test('a target of a split, its fallback and the default of a route count too; an archived route does not', async () => {
  const { first, second, publish, archive, post, only } = await aScene()
  const third = (await aScene()).first
  const targets = [{ provider_account_id: first, weight: 100 }]
  const then = { type: 'split', targets, fallback: [second] }
  const split = (await publish({ rules: [{ name: 'Euros', when: euros, then }], default: only(second) })).body

  expect((await archive(first)).body.detail).toContain(split.id)
  expect((await archive(second)).body.detail).toContain(split.id)
  await post(`/payment-routes/${split.id}/archive`)
  expect((await archive(first)).status).toBe(200)
  expect((await archive(first)).status).toBe(200)
  // Of another workspace.
  expect((await archive(third)).status).toBe(404)
})

test('of many routes five are named and the others counted', async () => {
  const { first, only, publish, archive } = await aScene()
  for (let nth = 1; nth <= 7; nth += 1) await publish({ name: `Route ${nth}`, default: only(first) })

  const { detail } = (await archive(first)).body

  expect(detail).toMatch(
    /^Published payment routes send payments to this account: "Route 1" \(payment_route_/,
  )
  expect(detail).toMatch(/"Route 5" \([a-z_]+\w+\) and 2 more\.$/)
})

test('of a publication and an archiving at the same moment one is refused', async () => {
  const { first, publish, archive, only, ...workspace } = await aScene()
  for (let round = 0; round < 20; round += 1) {
    const account = await anAccount(workspace)
    const { body: route } = await publish({ default: only(account), draft: true })

    const answers = await Promise.all([
      workspace.post(`/payment-routes/${route.id}/revisions/1/publish`),
      archive(account),
    ])

    const statuses = answers.map(({ status }) => status)
    expect([
      [200, 409],
      [422, 200],
    ]).toContainEqual(statuses)
    await workspace.post(`/payment-routes/${route.id}/archive`)
    await archive(account)
  }
})
