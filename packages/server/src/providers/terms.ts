/** What an account can do, and whether anybody may pay on such terms. Pure. */
import type { Provider, Terms } from './contract.ts'

/** What holds for an account that is set up so. Its settings are of the provider's shape. */
export function termsOf(provider: Provider, config: unknown): Terms {
  return provider.narrow?.(config) ?? { capabilities: provider.capabilities, resolve: provider.resolve }
}

/** Why nobody may pay on these terms; also for the terms of one account, which may be fewer. */
export function faultOfTerms({ capabilities, resolve }: Terms): string | null {
  const canAsk = resolve.lookup !== 'none' || resolve.close
  if (resolve.replayHours <= 0 && !canAsk)
    return 'Without replay, lookup or close an unknown outcome could never end.'
  if (capabilities.threeDSecure && !canAsk)
    return 'Without lookup or close nobody knows what became of a payer who left during 3DS.'
  const absent = resolve.absentIsFinalAfterMinutes
  if (absent !== null && (resolve.lookup === 'none' || absent < 60))
    return 'Absence is final after a lookup, and after an hour at the earliest.'
  return null
}
