/** The pages of an area: by address behind the workspace, a file whose `Page` is shown there, read when it is. */
import type { ComponentType } from 'react'

export type Pages = { readonly [path: string]: () => Promise<{ Page: ComponentType }> }
