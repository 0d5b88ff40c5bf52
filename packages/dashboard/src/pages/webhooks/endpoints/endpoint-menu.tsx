/** The actions of an endpoint. Actions that the role does not permit stay in the menu, with the reason. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { type ReactNode, useState } from 'react'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { DeleteEndpoint, DisableEndpoint, EnableEndpoint } from './endpoint-actions.tsx'
import { EditEndpoint } from './endpoint-form.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { SendTest } from './send-test.tsx'
import { ShowSecret } from './show-secret.tsx'

const writersOnly = 'Only admins and developers can do this'

type EndpointDialog = 'test' | 'show' | 'rotate' | 'edit' | 'disable' | 'enable' | 'delete'

export function EndpointMenu({ endpoint }: { endpoint: WebhookEndpoint }) {
  const disabledReasonFor = useDisabledReason()
  const [dialog, setDialog] = useState<EndpointDialog | null>(null)
  const close = () => setDialog(null)
  const toggleItem =
    endpoint.status === 'enabled'
      ? {
          text: 'Disable endpoint…',
          onSelect: () => setDialog('disable'),
          disabledReason: disabledReasonFor('webhook_endpoints.disable', writersOnly),
        }
      : {
          text: 'Enable endpoint…',
          onSelect: () => setDialog('enable'),
          disabledReason: disabledReasonFor('webhook_endpoints.enable', writersOnly),
        }
  const dialogs: { readonly [A in EndpointDialog]: () => ReactNode } = {
    test: () => <SendTest endpoint={endpoint} onClose={close} />,
    show: () => <ShowSecret endpointId={endpoint.id} onClose={close} />,
    rotate: () => <RotateSecret endpoint={endpoint} onClose={close} />,
    edit: () => <EditEndpoint endpoint={endpoint} onClose={close} />,
    disable: () => <DisableEndpoint endpoint={endpoint} onClose={close} />,
    enable: () => <EnableEndpoint endpoint={endpoint} onClose={close} />,
    delete: () => <DeleteEndpoint endpoint={endpoint} onClose={close} />,
  }
  return (
    <>
      <Menu
        label="More actions"
        items={[
          {
            text: 'Send test event',
            onSelect: () => setDialog('test'),
            disabledReason: disabledReasonFor('webhook_endpoints.test', writersOnly),
          },
          {
            text: 'Show Secret',
            onSelect: () => setDialog('show'),
            disabledReason: disabledReasonFor(
              'webhook_endpoints.reveal_secret',
              'Only admins can view the signing secret',
            ),
          },
          {
            text: 'Rotate secret…',
            onSelect: () => setDialog('rotate'),
            disabledReason: disabledReasonFor(
              'webhook_endpoints.rotate_secret',
              'Only admins can rotate the signing secret',
            ),
          },
          null,
          {
            text: 'Edit endpoint…',
            onSelect: () => setDialog('edit'),
            disabledReason: disabledReasonFor('webhook_endpoints.update', writersOnly),
          },
          toggleItem,
          {
            text: 'Delete endpoint…',
            onSelect: () => setDialog('delete'),
            danger: true,
            disabledReason: disabledReasonFor('webhook_endpoints.delete', writersOnly),
          },
        ]}
      />
      {dialog !== null && dialogs[dialog]()}
    </>
  )
}
