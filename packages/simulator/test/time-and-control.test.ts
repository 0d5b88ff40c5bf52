// For tests with very many calls: the control API without a socket, and a clock that can be reset.

import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario } from '../src/cards.ts'
import { startSimulator } from '../src/index.ts'
import { charge, controlOf, newMerchant } from './support/merchant.ts'

const simulator = await startSimulator()
afterAll(() => simulator.stop())

test('the control API responds the same with and without a socket', async () => {
  const merchant = await newMerchant(simulator.url)
  const { body } = await merchant.put(charge())
  expect(body.status).toBe('succeeded')
  const overSocket = await merchant.control('GET', 'ledger')

  expect(await simulator.control('GET', `${merchant.account}/ledger`)).toEqual(overSocket)
  expect(await simulator.control('PUT', `${merchant.account}/config`, { auth_rate: 0.5 })).toMatchObject({
    auth_rate: 0.5,
  })
  await expect(simulator.control('PUT', `${merchant.account}/config`, { auth_rate: 2 })).rejects.toThrow(
    'auth_rate',
  )
  await expect(simulator.control('GET', 'nothing/here')).rejects.toThrow('not_found')
})

test('the clock is reset to the system time, but not while tasks are scheduled', async () => {
  const control = controlOf(simulator.url)
  const merchant = await newMerchant(simulator.url)
  const timeOf = ({ now }: { readonly now?: unknown }) => Date.parse(String(now))
  const week = 7 * 24 * 3_600_000
  await merchant.put(charge(cardNumberForScenario('5016')))

  await expect(control('POST', 'time', { reset: true })).rejects.toThrow('409')
  expect(timeOf(await control('POST', 'time', { advance_ms: week }))).toBeGreaterThan(Date.now() + week / 2)
  expect(timeOf(await control('POST', 'time', { reset: true }))).toBeLessThan(Date.now() + week / 2)
})
