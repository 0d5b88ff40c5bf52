/** Asks the provider now what became of what is not known. */
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { relativeText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import type { ActProps } from './actions.tsx'

export function CheckPayment({ payment, operations, close }: ActProps) {
  const api = useApi()
  const reread = useReread()
  const { id } = payment
  const [next] = operations.flatMap(({ next_check_at }) => next_check_at ?? []).toSorted()
  const planned = next === undefined ? '' : ` By itself it is asked again ${relativeText(next)}.`
  return (
    <ActionDialog
      title="Check now"
      intro={`The provider is asked what became of this payment. No money moves by asking.${planned}`}
      submit="Ask the provider"
      call={{
        method: 'POST',
        path: `/payments/${id}/check`,
        sdk: { method: 'payments.check', args: [id] },
      }}
      run={(key) => api.payments.check(id, key)}
      done="The provider was asked"
      onDone={() => {
        close()
        void reread('payment', 'refund')
      }}
      onCancel={close}
    />
  )
}
