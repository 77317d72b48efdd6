/** Where the session can be gone back to, where it comes from, and what its log lies in. */
import { Lineage } from './lineage.tsx'
import { Marks } from './marks.tsx'
import { Stored } from './stored.tsx'

export const ForksTab = () => (
  <>
    <Marks />
    <Lineage />
    <Stored />
  </>
)
