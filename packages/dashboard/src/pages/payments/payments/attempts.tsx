/** Each attempt, and why the route chose its account. */
import type { PaymentAttempt } from '@switchyard/sdk'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Code } from '../../../ui/code-text.tsx'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'
import { traceLines } from './trace.ts'

export function Attempts(props: { attempts: readonly PaymentAttempt[]; isUnknown: boolean }) {
  const nameOf = useAccountName()
  if (props.attempts.length === 0)
    return <p className="p-4 text-ink2">No attempts: no provider account can process this payment.</p>
  return (
    <ol>
      {props.attempts.map((attempt) => (
        <li key={attempt.id} className="grid gap-2 border-b border-line px-4 py-3 last:border-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h3 className="font-bold">
              Attempt {attempt.number} at{' '}
              <ObjectLink id={attempt.provider_account_id}>{nameOf(attempt.provider_account_id)}</ObjectLink>
            </h3>
            <Status status={attempt.status}>{statusTextOf(attempt, props.isUnknown)}</Status>
            {attempt.decline_code !== null && (
              <span className="font-mono text-compact">{attempt.decline_code}</span>
            )}
            <span className="text-ink2">
              <Time at={attempt.created_at} exact />
            </span>
          </div>
          <ul className="list-disc pl-5 text-ink2">
            {traceLines(attempt.trace, nameOf).map((line) => (
              <li key={line}>
                <Code>{line}</Code>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}

/** While the outcome of the payment is unknown, its page must not say "failed". */
function statusTextOf({ status }: PaymentAttempt, isUnknown: boolean): string | undefined {
  return isUnknown && status === 'failed' ? 'Not processed' : undefined
}
