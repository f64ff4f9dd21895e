/** The frame: who one is, which daemon is looked at, the pages. */

import {Component, type ComponentChildren, type JSX, render} from "preact";
import {useEffect, useState} from "preact/hooks";
import {post, Refused, type Session, session as askSession, words} from "./core/api";
import {live, useTopic} from "./core/feed";
import {type Place, href, usePlace} from "./core/router";
import {apply, setTheme, type Theme, theme} from "./core/theme";
import {PageContext} from "./pages/context";
import {LoginPage} from "./pages/login";
import {Empty, Light, Problem} from "./ui/parts";

type Page = (props: {members: Record<string, string>}) => JSX.Element;

/** Pages are loaded when they are opened first. */
const PAGES: Record<string, {title: string; load: () => Promise<Page>; isHidden?: boolean}> = {
  overview: {title: "Overview", load: async () => (await import("./pages/overview")).OverviewPage},
  tests: {title: "Tests", load: async () => (await import("./pages/tests")).TestsPage},
  flows: {title: "Flows", load: async () => (await import("./pages/flows")).FlowsPage},
  suite: {title: "Suite", load: async () => (await import("./pages/suite")).SuitePage},
  history: {title: "History", load: async () => (await import("./pages/history")).HistoryPage},
  compare: {title: "Compare", load: async () => (await import("./pages/compare")).ComparePage},
  operations: {title: "Operations", load: async () => (await import("./pages/operations")).OperationsPage},
  run: {title: "Run", load: async () => (await import("./pages/run")).RunPage, isHidden: true},
  instance: {title: "Instance", load: async () => (await import("./pages/instance")).InstancePage, isHidden: true},
};

function App(): JSX.Element {
  const [found, setFound] = useState<Session | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const enter = (): void => {
    askSession().then(
      (session) => {
        setFound(session);
        setRefused(null);
      },
      (error: unknown) => setRefused(error instanceof Refused ? error : new Refused(0, words(error))),
    );
  };
  useEffect(enter, []);
  if (found) return <Frame session={found} />;
  if (refused?.status === 401) {
    return <LoginPage hasUsers={refused.body["has_users"] === true} problem={refused.message} onIn={enter} />;
  }
  return <main>{refused ? <Problem text={refused.message} /> : null}</main>;
}

function Frame({session}: {session: Session}): JSX.Element {
  const here = usePlace();
  const names = session.daemons.map((one) => one.name);
  const asked = here.members["daemon"] ?? localStorage.getItem("daemon") ?? "";
  const daemon = names.includes(asked) ? asked : (names[0] ?? "");
  useEffect(() => localStorage.setItem("daemon", daemon), [daemon]);
  return (
    <PageContext.Provider value={{session, daemon}}>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.querySelector<HTMLElement>("#main")?.focus())}>
        To the page
      </a>
      <Head session={session} daemon={daemon} page={here.page} />
      <main id="main" tabIndex={-1} class={`page-${here.page}`}>
        <Shown here={here} />
      </main>
    </PageContext.Provider>
  );
}

function Head({session, daemon, page}: {session: Session; daemon: string; page: string}): JSX.Element {
  const state = useTopic({daemon});
  const [chosen, choose] = useState<Theme>(theme());
  const leave = async (): Promise<void> => {
    await post("/api/leave", {});
    location.reload();
  };
  return (
    <header class="head">
      <a class="brand" href={href("overview")}>
        tsvc
      </a>
      <span class="daemon">
        <Light state={!state ? "unknown" : state.isUp ? "up" : "down"} />
        <select aria-label="Daemon" value={daemon} onChange={(event) => (location.hash = href("overview", {daemon: event.currentTarget.value}))}>
          {session.daemons.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
      </span>
      <nav aria-label="Pages">
        {Object.entries(PAGES)
          .filter(([, one]) => !one.isHidden)
          .map(([name, one]) => (
            <a key={name} href={href(name)} aria-current={name === page ? "page" : undefined}>
              {one.title}
            </a>
          ))}
      </nav>
      <span class="grow" />
      <select
        aria-label="Colours"
        value={chosen}
        onChange={(event) => {
          const value = event.currentTarget.value as Theme;
          choose(value);
          setTheme(value);
        }}
      >
        <option value="auto">auto</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
      <span class="user" title={`${session.user}: ${session.role}`}>
        {session.role}
        {session.read_only ? ", read only" : ""}
      </span>
      {session.has_users ? (
        <button type="button" class="link" onClick={() => void leave()}>
          leave
        </button>
      ) : null}
    </header>
  );
}

function Shown({here}: {here: Place}): JSX.Element {
  const entry = PAGES[here.page];
  const [page, setPage] = useState<{name: string; of: Page} | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    document.title = `tsvc ${entry?.title ?? ""}`;
    let isWanted = true;
    setProblem("");
    entry?.load().then(
      (of) => isWanted && setPage({name: here.page, of}),
      (error: unknown) => isWanted && setProblem(`the page can't be loaded: ${words(error)}`),
    );
    return () => {
      isWanted = false;
    };
  }, [here.page]);
  if (!entry) return <Empty>There is no page “{here.page}”.</Empty>;
  if (problem) return <Problem text={problem} />;
  if (page?.name !== here.page) return <Empty>…</Empty>;
  const Of = page.of;
  return (
    <Guard key={here.page}>
      <Of members={here.members} />
    </Guard>
  );
}

/** A fault of one page says so, and leaves the others. */
class Guard extends Component<{children: ComponentChildren}, {problem: string}> {
  override state = {problem: ""};

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({problem: words(error)});
  }

  override render(): ComponentChildren {
    if (!this.state.problem) return this.props.children;
    return (
      <div>
        <Problem text={`This page has a fault of its own: ${this.state.problem}`} />
        <button type="button" class="button" onClick={() => this.setState({problem: ""})}>
          Try again
        </button>
      </div>
    );
  }
}

apply();
live();
render(<App />, document.body);
