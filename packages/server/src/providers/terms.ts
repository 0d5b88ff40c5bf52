/** The terms of an account, and whether payments are possible on them. No side effects. */
import type { Provider, Terms } from './contract.ts'

/** The terms of an account with these settings, which match the schema of the provider. */
export function termsOf(provider: Provider, config: unknown): Terms {
  return provider.narrow?.(config) ?? { capabilities: provider.capabilities, resolve: provider.resolve }
}

/**
 * The reason why payments are not possible on these terms; null if they are. Accounts may have narrower
 * terms.
 */
export function faultOfTerms({ capabilities, resolve }: Terms): string | null {
  const canQuery = resolve.lookup !== 'none' || resolve.close
  // If the response is lost, the provider reference is not known.
  const canQueryByReference = resolve.lookup === 'reference' || resolve.close
  if (resolve.replayHours <= 0 && !canQueryByReference && !resolve.webhook)
    return 'Without replay, lookup by our reference, close or webhooks an unknown outcome could never be resolved.'
  if (capabilities.threeDSecure && !canQuery && !resolve.completedByUs)
    return 'Without lookup or close the outcome for a payer who leaves during 3DS could never be resolved, unless only the payer’s return can complete it.'
  const absent = resolve.absentIsFinalAfterMinutes
  if (absent !== null && (resolve.lookup === 'none' || absent < 60))
    return 'A lookup that finds nothing can be conclusive after an hour at the earliest, and only if lookups are supported.'
  return null
}
