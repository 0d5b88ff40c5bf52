// Only providers whose unknown outcomes can always be resolved, and that implement what they declare, can be
// registered.

import { expect, test } from 'vitest'
import type { Provider, Resolution } from './contract.ts'
import { createManifest } from './custom/fixtures/inputs.ts'
import { custom, simulator } from './custom/provider.ts'
import { allCapabilities, customTerms } from './custom/terms.ts'
import { providerNames } from './provider-names.ts'
import { faultOf, registry, registryOf } from './registry.ts'
import { faultOfTerms, termsOf } from './terms.ts'

const noResolution: Resolution = {
  replayHours: 0,
  lookup: 'none',
  close: false,
  absentIsFinalAfterMinutes: null,
  webhook: false,
  completedByUs: false,
}
const without3ds = { ...allCapabilities, threeDSecure: false }
const customWith = (changes: Partial<Provider>): Provider => ({ ...custom, ...changes }) as Provider

test('the providers of this installation are registered by id', () => {
  expect([...registry.keys()]).toEqual([...providerNames])
  expect(registry.get('simulator')).toBe(simulator)
})

// biome-ignore format: a table.
test.each<[string, Partial<Resolution>, boolean, RegExp | null]>([
  ['no resolution',        {},                                                       false, /could never be resolved/],
  ['replay',               { replayHours: 24 },                                      false, null],
  ['lookup',               { lookup: 'reference' },                                  false, null],
  ['lookup by provider id', { lookup: 'provider_id' },                               false, /could never be resolved/],
  ['lookup by provider id, and replay', { lookup: 'provider_id', replayHours: 1 },   false, null],
  ['lookup by provider id, and webhooks', { lookup: 'provider_id', webhook: true },  false, null],
  ['close',                { close: true },                                          false, null],
  ['no resolution, and 3DS', {},                                                       true,  /could never be resolved/],
  ['replay, and 3DS',      { replayHours: 24 },                                      true,  /3DS/],
  ['lookup, and 3DS',      { lookup: 'reference' },                                  true,  null],
  ['close, and 3DS',       { close: true },                                          true,  null],
  ['completed by us, and nothing else', { completedByUs: true },                     true,  /could never be resolved/],
  ['completed by us, and replay', { completedByUs: true, replayHours: 24 },          true,  null],
  ['final after an hour',  { lookup: 'reference', absentIsFinalAfterMinutes: 60 },   false, null],
  ['final after less than an hour', { lookup: 'reference', absentIsFinalAfterMinutes: 59 },   false, /an hour/],
  ['final without lookup', { close: true, absentIsFinalAfterMinutes: 90 },           false, /lookup/],
])('terms are accepted only if every unknown outcome can be resolved: %s', (_, changes, threeDSecure, fault) => {
  const capabilities = { ...allCapabilities, threeDSecure }
  const found = faultOfTerms({ capabilities, resolve: { ...noResolution, ...changes } })

  if (fault === null) expect(found).toBeNull()
  else expect(found).toMatch(fault)
})

const { lookup: _, ...withoutLookup } = custom
const { close: __, ...withoutClose } = custom
const { complete: ___, ...withoutComplete } = custom

// biome-ignore format: a table.
test.each<[string, Provider, RegExp]>([
  ['an operation',  customWith({ operations: {} }),            /declares verify, authorize, capture, void, refund/],
  ['a lookup',      withoutLookup as Provider,           /lookup/],
  ['a close',       withoutClose as Provider,            /declares close/],
  ['a completion',  withoutComplete as Provider,         /3DS/],
  ['a way to resolve outcomes', customWith({ resolve: noResolution, capabilities: without3ds }), /could never be resolved/],
])('a provider that declares a missing feature is rejected: %s', (_, provider, fault) => {
  expect(faultOf(provider)).toMatch(fault)
  expect(() => registryOf([provider])).toThrow(fault)
})

test('duplicate names are rejected', () => {
  expect(() => registryOf([custom, custom])).toThrow('Two providers are called custom.')
})

test('an account may have narrower terms than its provider, because of its manifest or its settings', () => {
  const base = { base_url: 'https://psp.example.com', secrets: ['psec_0123456789abcdef'] }
  const manifest = createManifest({
    features: { lookup: false, close: true, complete: false, tokens: false },
  })

  expect(termsOf(custom, base)).toEqual({ capabilities: allCapabilities, resolve: custom.resolve })
  expect(termsOf(custom, { ...base, manifest })).toMatchObject({
    capabilities: { threeDSecure: false, currencies: ['eur', 'jpy', 'kwd'] },
    resolve: { lookup: 'none', close: true },
  })
  const { features } = manifest
  const withoutReplay = createManifest({ features: { ...features, replay: false } })
  expect(termsOf(custom, { ...base, manifest: withoutReplay })).toMatchObject({ resolve: { replayHours: 0 } })
  expect(termsOf(simulator, { ...base, replay: false, close: false })).toMatchObject({
    resolve: { replayHours: 0, lookup: 'reference', close: false, absentIsFinalAfterMinutes: 120 },
  })
  // The registration rule is applied to the account as well.
  const webhookOnly = { ...base, replay: false, close: false, lookup: false }
  expect(faultOfTerms(termsOf(simulator, webhookOnly))).toBe(null)
  const unresolvable = termsOf(simulator, { ...webhookOnly, webhooks: 'off' })
  expect(faultOfTerms(unresolvable)).toMatch(/could never be resolved/)
  const { narrow: ____, ...plain } = custom
  expect(termsOf(plain as Provider, base)).toEqual(customTerms(base))
})
