/** Home: what needs a person, how today goes, and what happened last. */
import { PageHead } from '../../ui/panel.tsx'
import { Billing } from './billing.tsx'
import { FirstRun } from './first-run.tsx'
import { LastPayments } from './last-payments.tsx'
import { NeedsYou } from './needs-you.tsx'
import { Providers } from './providers.tsx'
import { Reasons } from './reasons.tsx'
import { Today } from './today.tsx'

export function Page() {
  return (
    <>
      <PageHead title="Home" />
      <div className="grid gap-4">
        <FirstRun />
        <NeedsYou />
        <Today />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Providers />
          <Reasons />
        </div>
        <Billing />
        <LastPayments />
      </div>
    </>
  )
}
