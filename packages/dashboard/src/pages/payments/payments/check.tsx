/** Queries the provider now for the unknown outcome of a payment. */
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { dueText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import type { ActionProps } from './actions.tsx'

export function CheckPayment({ payment, operations, close }: ActionProps) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = payment
  const [next] = operations.flatMap(({ next_check_at }) => next_check_at ?? []).toSorted()
  const nextCheckText = next === undefined ? '' : ` The next automatic check is ${dueText(next)}.`
  return (
    <ActionDialog
      title="Check payment status"
      intro={`We ask the provider for the outcome of this payment. This moves no money.${nextCheckText}`}
      submit="Check status"
      call={{
        method: 'POST',
        path: `/payments/${id}/check`,
        sdk: { method: 'payments.check', args: [id] },
      }}
      run={(key) => api.payments.check(id, key)}
      successMessage="Status checked"
      onDone={() => {
        close()
        void invalidate('payment', 'refund')
      }}
      onCancel={close}
    />
  )
}
