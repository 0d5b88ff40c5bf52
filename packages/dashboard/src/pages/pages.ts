/** The pages of an area: the path below the workspace, and the module with its `Page` component, loaded lazily. */
import type { ComponentType } from 'react'

export type Pages = { readonly [path: string]: () => Promise<{ Page: ComponentType }> }
