/** Rotates the signing secret. Earlier secrets stay valid for the overlap, so that receivers can be updated. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { RadioField } from '../../../ui/fields.tsx'
import { overlaps } from './overlap.ts'

export function RotateSecret({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [overlap, setOverlap] = useState('86400')
  const body = { overlap_seconds: Number(overlap) }
  return (
    <ActionDialog
      title="Rotate signing secret"
      intro="The new secret is used immediately. During the overlap, every request carries a signature for each secret, so receivers can verify with either one."
      submit="Rotate secret"
      disabledReason={disabledReasonFor('webhook_endpoints.rotate_secret')}
      successMessage="Secret rotated. Choose Show Secret to see the new one."
      call={{
        method: 'POST',
        path: `/webhook-endpoints/${endpoint.id}/rotate_secret`,
        body,
        sdk: { method: 'webhookEndpoints.rotateSecret', args: [endpoint.id, body] },
      }}
      run={async (key) => {
        await api.webhookEndpoints.rotateSecret(endpoint.id, body, key)
        await invalidate('webhook_endpoint', 'audit_entry')
      }}
      onDone={onClose}
    >
      <RadioField legend="Earlier secrets expire" value={overlap} onChange={setOverlap} options={overlaps} />
      {overlap === '0' && (
        <p className="text-warning">
          Receivers that still use an earlier secret will reject all further requests.
        </p>
      )}
    </ActionDialog>
  )
}
