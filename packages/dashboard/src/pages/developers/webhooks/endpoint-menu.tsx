/** What one can do with an endpoint. What a role may not do stays in the menu, with the reason. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { type ReactNode, useState } from 'react'
import { useMay } from '../../../api/workspace.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { DeleteEndpoint, DisableEndpoint, EnableEndpoint } from './endpoint-acts.tsx'
import { EditEndpoint } from './endpoint-form.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { SendTest } from './send-test.tsx'
import { ShowSecret } from './show-secret.tsx'

const writers = 'Only admins and developers can do this'

type Act = 'test' | 'show' | 'rotate' | 'edit' | 'disable' | 'enable' | 'delete'

export function EndpointMenu({ endpoint }: { endpoint: WebhookEndpoint }) {
  const may = useMay()
  const [act, setAct] = useState<Act | null>(null)
  const close = () => setAct(null)
  const turn =
    endpoint.status === 'enabled'
      ? {
          text: 'Disable…',
          onSelect: () => setAct('disable'),
          refused: may('webhook_endpoints.disable', writers),
        }
      : {
          text: 'Enable…',
          onSelect: () => setAct('enable'),
          refused: may('webhook_endpoints.enable', writers),
        }
  const dialogs: { readonly [A in Act]: () => ReactNode } = {
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
        label="More"
        items={[
          {
            text: 'Send test event',
            onSelect: () => setAct('test'),
            refused: may('webhook_endpoints.test', writers),
          },
          {
            text: 'Show Secret',
            onSelect: () => setAct('show'),
            refused: may('webhook_endpoints.reveal_secret', 'Only admins can view the signing secret'),
          },
          {
            text: 'Rotate secret…',
            onSelect: () => setAct('rotate'),
            refused: may('webhook_endpoints.rotate_secret', 'Only admins can rotate the signing secret'),
          },
          null,
          { text: 'Edit', onSelect: () => setAct('edit'), refused: may('webhook_endpoints.update', writers) },
          turn,
          {
            text: 'Delete…',
            onSelect: () => setAct('delete'),
            danger: true,
            refused: may('webhook_endpoints.delete', writers),
          },
        ]}
      />
      {act !== null && dialogs[act]()}
    </>
  )
}
