/** The reports that several pages show. All pages use these queries, so that they show the same numbers. */
import type { BillingReport, PaymentsReport } from '@switchyard/sdk'
import { useObject } from '../api/queries.ts'
import { useTestClocks } from '../api/test-clocks.ts'
import { dayMs } from '../format/time.ts'

const refetchMs = 30_000

/** Payments of the last `days` days by hour: approval by provider account, or failures by reason. */
export function usePaymentsReport(group: 'provider_account' | 'reason', days = 1) {
  const { query } = useTestClocks()
  return useObject<PaymentsReport>(
    ['report', 'payments', group, days, query],
    (api, signal) => {
      // Without a time range the server returns the last 24 hours by its own clock.
      const from = days === 1 ? {} : { from: new Date(Date.now() - days * dayMs).toISOString() }
      return api.reports.payments({ group, bucket: '1h', ...from, ...query }, { signal })
    },
    { refetchInterval: refetchMs },
  )
}

export function useBillingReport() {
  const { query } = useTestClocks()
  return useObject<BillingReport>(
    ['report', 'billing', query],
    (api, signal) => api.reports.billing(query, { signal }),
    { refetchInterval: 2 * refetchMs },
  )
}
