/** Home: what needs attention, today's figures, and the latest payments. */
import { FailureReasons } from '../../metrics/reasons.tsx'
import { PageHead } from '../../ui/panel.tsx'
import { Billing } from './billing.tsx'
import { FirstRun } from './first-run.tsx'
import { LastPayments } from './last-payments.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import { ProviderApproval } from './providers.tsx'
import { Today } from './today.tsx'

export function Page() {
  return (
    <>
      <PageHead title="Home" />
      <div className="grid gap-4">
        <FirstRun />
        <NeedsAttention />
        <Today />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <ProviderApproval />
          <FailureReasons />
        </div>
        <Billing />
        <LastPayments />
      </div>
    </>
  )
}
