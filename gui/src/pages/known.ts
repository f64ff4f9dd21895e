/** What the daemon knows, for completion and forms: loaded when a page wants it first. */

import {useMemo} from "preact/hooks";
import {catalogue, definitionMembers} from "../core/catalogue";
import type {Known} from "../editor/complete";
import {useLoaded} from "../ui/parts";

export function useKnown(daemon: string): Known | null {
  const operations = useLoaded(`catalogue ${daemon}`, () => catalogue(daemon)).value;
  // The schema is large: what can be done without it is not kept waiting.
  const members = useLoaded(operations ? `schema ${daemon}` : null, () => definitionMembers(daemon)).value;
  return useMemo(() => (operations ? {operations, members: members ?? []} : null), [operations, members]);
}
