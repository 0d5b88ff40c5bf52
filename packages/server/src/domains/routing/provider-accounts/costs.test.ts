// The fees that an operator enters for an account through the API.

import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

const account = {
  provider: 'custom',
  display_name: 'Our acquirer',
  config: { base_url: 'https://psp.example.com/switchyard' },
}
const any = { currency: null, card_brands: null, card_countries: null, card_fundings: null, fixed_amount: 0 }

test('costs are stored with their defaults, replaced as a whole, and part of the events', async () => {
  const { post, put, get, eventsOf } = await switchyard.newWorkspace()
  const debit = {
    currency: 'eur',
    card_brands: ['visa'],
    card_fundings: ['debit'],
    basis_points: 20,
    fixed_amount: 5,
  }
  const costs = [debit, { card_countries: ['DE'], basis_points: 140 }]
  const stored = [
    { ...any, ...debit },
    { ...any, card_countries: ['DE'], basis_points: 140 },
  ]

  const { status, body } = await post('/provider-accounts', { ...account, costs })
  const path = `/provider-accounts/${body.id}`
  expect(status).toBe(201)
  expect((await get(path)).body.costs).toEqual(stored)
  // Other changes keep the costs, and sending the same costs changes nothing.
  await put(path, { display_name: 'Renamed' })
  await put(path, { costs })
  expect((await get(path)).body.costs).toEqual(stored)
  const changed = await put(path, { costs: [{ basis_points: 0 }] })
  expect(changed.body.costs).toEqual([{ ...any, basis_points: 0 }])
  expect((await put(path, { costs: [] })).body.costs).toEqual([])

  const events = await eventsOf(body.id)
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'provider_account.created',
    'provider_account.updated',
    'provider_account.updated',
    'provider_account.updated',
  ])
  expect(events[0].object.costs).toEqual(stored)
  expect(events[2]).toMatchObject({ object: { costs: [{ basis_points: 0 }] }, previous: { costs: stored } })
})

test.each([
  [{ basis_points: 0, fixed_amount: 25 }, '/costs/0/currency', 'required'],
  [{ currency: 'eur', fixed_amount: 25 }, '/costs/0/basis_points', 'required'],
  [{ basis_points: 1.5 }, '/costs/0/basis_points', 'wrong_type'],
  [{ basis_points: 10_001 }, '/costs/0/basis_points', 'too_large'],
  [{ basis_points: -1 }, '/costs/0/basis_points', 'too_small'],
  [{ currency: 'EUR', basis_points: 1 }, '/costs/0/currency', 'bad_format'],
  [{ currency: 'xyz', basis_points: 1 }, '/costs/0/currency', 'not_in_list'],
  [{ card_brands: [], basis_points: 1 }, '/costs/0/card_brands', 'too_short'],
  [{ card_fundings: ['charge'], basis_points: 1 }, '/costs/0/card_fundings/0', 'not_in_list'],
  [{ percent: 1.4, basis_points: 1 }, '/costs/0/percent', 'unknown_member'],
])('%j is rejected at %s', async (segment, pointer, code) => {
  const { post } = await switchyard.newWorkspace()

  const { status, body } = await post('/provider-accounts', { ...account, costs: [segment] })

  expect(status).toBe(400)
  expect(body.errors).toMatchObject([{ pointer, code }])
})

test('an entry that never applies because of an earlier one is rejected, and there are at most 50', async () => {
  const { post, put } = await switchyard.newWorkspace()
  const { body } = await post('/provider-accounts', account)
  const setCosts = (costs: object[]) => put(`/provider-accounts/${body.id}`, { costs })
  const euros = { currency: 'eur', basis_points: 140 }
  const visa = { currency: 'eur', card_brands: ['visa'], basis_points: 120 }

  expect((await setCosts([visa, euros])).status).toBe(200)
  const hidden = await setCosts([euros, visa])
  expect(hidden.status).toBe(400)
  expect(hidden.body.errors).toEqual([
    {
      pointer: '/costs/1',
      code: 'not_together',
      detail:
        'never applies, because /costs/0 matches the same payments first: put the more specific entry first',
    },
  ])
  const cards = { card_brands: ['visa', 'amex'], basis_points: 100 }
  expect((await setCosts([cards, { ...visa, currency: null }])).body.errors).toMatchObject([
    { pointer: '/costs/1' },
  ])
  expect((await setCosts(Array.from({ length: 51 }, () => euros))).status).toBe(400)
})
