import type { PaymentRoute, PaymentRouteRevision } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { relativeText } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Chip } from '../../../ui/status.tsx'
import { type Definition, definitionOf, isSame } from './definition.ts'
import { useLint } from './findings.tsx'
import { RouteChips } from './list.tsx'
import { PublishDialog } from './publish.tsx'
import { RouteMenu } from './route-menu.tsx'
import { RouteTabs } from './route-tabs.tsx'
import { RuleDrawing } from './rule-drawing.tsx'
import { type Chosen, Rules } from './rules.tsx'
import { SaveBar } from './save-bar.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useObject(['payment_route', id], async (api, signal) => {
    const route = await api.paymentRoutes.get(id, { signal })
    return { route, latest: await api.paymentRoutes.revision(id, route.latest_revision, { signal }) }
  })
  return (
    <PageLoaded of={found} title="Route">
      {/* Another revision is another text to edit: what was typed belonged to the one before. */}
      {({ route, latest }) => <Editor key={`${id} ${latest.number}`} route={route} latest={latest} />}
    </PageLoaded>
  )
}

type Revised = { readonly route: PaymentRoute; readonly latest: PaymentRouteRevision }

function Editor({ route, latest }: Revised) {
  const saved = definitionOf(latest)
  const [definition, setDefinition] = useState<Definition>(saved)
  const [chosen, choose] = useState<Chosen>(null)
  const [isPublishing, setPublishing] = useState(false)
  const may = useMay()
  const lint = useLint(definition)
  const isDirty = !isSame(saved, definition)
  const refused =
    may('payment_routes.update') ?? (route.status === 'archived' ? 'The route is archived.' : null)
  const published = route.revision === null ? null : definitionOf(route)
  return (
    <>
      <RouteHead {...{ route, latest, isDirty, refused }} review={() => setPublishing(true)} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_400px]">
          <Rules {...{ definition, published, lint, refused, chosen, choose }} onChange={setDefinition} />
          <div className="grid min-w-0 content-start gap-4">
            <RuleDrawing definition={definition} chosen={chosen} />
            {isDirty && (
              <SaveBar
                route={route}
                definition={definition}
                discard={() => {
                  choose(null)
                  setDefinition(saved)
                }}
              />
            )}
            <Naming definition={definition} refused={refused} onChange={setDefinition} />
          </div>
        </div>
        <RouteTabs {...{ route, latest, definition, lint, refused }} onChange={setDefinition} />
      </div>
      {isPublishing && <PublishDialog route={route} lint={lint} close={() => setPublishing(false)} />}
    </>
  )
}

function Naming(props: {
  definition: Definition
  refused: string | null
  onChange: (definition: Definition) => void
}) {
  const { definition, refused, onChange } = props
  const { limits } = definition
  return (
    <Panel title="Route">
      <div className="grid gap-2">
        {refused === null && (
          <TextField
            label="Name of the route"
            value={definition.name}
            onChange={(name) => onChange({ ...definition, name })}
          />
        )}
        <p className="text-compact text-ink2">
          {limits === null
            ? 'It makes no promise for which payments there is an account.'
            : `It promises an account for ${limits.currencies.map((code) => code.toUpperCase()).join(', ')}: the lint proves it.`}
        </p>
      </div>
    </Panel>
  )
}

type HeadProps = Revised & { isDirty: boolean; refused: string | null; review: () => void }

function RouteHead({ route, latest, isDirty, refused, review }: HeadProps) {
  const may = useMay()
  const isDraft = route.latest_revision !== route.revision
  const why = isDirty
    ? 'Save the draft first.'
    : isDraft
      ? null
      : 'What is published is the newest: there is nothing to publish.'
  return (
    <PageHead
      crumbs={[{ text: 'Routes', to: '/payment-routes' }, { text: route.id }]}
      title={latest.name}
      beside={
        <>
          {route.is_default && <Chip tone="lock" text="Default" />}
          <RouteChips of={route} />
          {isDirty && <Chip tone="caution" text="Not saved" />}
          <span className="text-ink2">edited {relativeText(latest.created_at)}</span>
        </>
      }
      actions={
        <>
          <Button look="primary" refused={may('payment_routes.publish') ?? refused ?? why} onClick={review}>
            Review and publish…
          </Button>
          <RouteMenu route={route} />
        </>
      }
    />
  )
}
