"""A relay that delays TCP connections, in a thread of its own."""

import asyncio
import threading


class Relay:
    """Carries connections from `port` to another port, and delays each octet by `delay_s`."""

    def __init__(self, target: int, delay_s: float) -> None:
        self.delay_s = delay_s
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._connections: set[asyncio.Task[None]] = set()
        server = self._loop.run_until_complete(
            asyncio.start_server(self._connected, "127.0.0.1", 0)
        )
        self.port: int = server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        for source, sink in ((reader, back), (there, writer)):
            task = self._loop.create_task(self._carry(source, sink))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while octets := await source.read(65536):
                self._loop.call_later(self.delay_s, sink.write, octets)
        except OSError:
            pass
        self._loop.call_later(self.delay_s, sink.close)

    def stop(self) -> None:
        """Stop the relay, with its connections."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        for task in list(self._connections):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()
