import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets a test drive a Java library by lines of JSON, so that what a peer does stands in the test.
 *
 * <p>Commands come on standard input, one at a time, and are carried out in their order:
 * {"id": 1, "on": OBJECT or "a.class.Name", "call": "method", "args": [...]}. The method "new" of
 * a class makes an object, "listen" gives {"on": [interfaces]} an object whose calls become events.
 * An answer is {"id": 1, "value": V} or {"id": 1, "error": "text"}; what the library calls is
 * {"event": "method", "args": [...]}, and may come between a command and its answer.
 *
 * <p>Values: null, booleans, numbers, texts and lists as in JSON; octets are {"hex": "0a0b"}, other
 * objects {"@": number, "class": simple name, "text": what toString() says}. A text where an enum
 * is due is the name of its constant.
 */
public final class Bridge {
  private static final Gson GSON = new GsonBuilder().serializeNulls().create();
  private final Map<Integer, Object> objects = new ConcurrentHashMap<>();
  private final AtomicInteger last = new AtomicInteger();
  private final PrintStream out;

  private Bridge(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // what libraries print is no message
    Bridge bridge = new Bridge(out);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      bridge.answer(JsonParser.parseString(line).getAsJsonObject());
    }
    Runtime.getRuntime().halt(0); // threads of the stack would hold it
  }

  private void answer(JsonObject command) {
    JsonObject answer = new JsonObject();
    answer.add("id", command.get("id"));
    try {
      answer.add("value", json(carryOut(command)));
    } catch (InvocationTargetException thrown) {
      answer.addProperty("error", thrown.getCause().toString());
    } catch (ReflectiveOperationException | RuntimeException thrown) {
      answer.addProperty("error", thrown.toString());
    }
    say(answer);
  }

  private synchronized void say(JsonObject message) {
    out.println(GSON.toJson(message));
  }

  private Object carryOut(JsonObject command) throws ReflectiveOperationException {
    JsonElement on = command.get("on");
    String call = command.get("call").getAsString();
    if (call.equals("listen")) {
      return listener(on.getAsJsonArray());
    }
    boolean isClass = on.isJsonPrimitive();
    Object target = isClass ? null : objects.get(on.getAsJsonObject().get("@").getAsInt());
    Class<?> type = isClass ? Class.forName(on.getAsString()) : target.getClass();
    List<Executable> named = new ArrayList<>();
    if (call.equals("new")) {
      named.addAll(List.of(type.getConstructors()));
    } else {
      for (Method method : type.getMethods()) {
        if (method.getName().equals(call)
            && !method.isBridge()
            && (!isClass || Modifier.isStatic(method.getModifiers()))) {
          named.add(method);
        }
      }
    }
    JsonArray args = command.getAsJsonArray("args");
    for (Executable one : named) {
      Object[] given = fitting(args, one.getParameterTypes());
      if (given == null) {
        continue;
      }
      ((AccessibleObject) one).setAccessible(true);
      if (one instanceof Method) {
        return ((Method) one).invoke(target, given);
      }
      return ((Constructor<?>) one).newInstance(given);
    }
    throw new NoSuchMethodException(type.getName() + "." + call + args + " of " + named);
  }

  private Object listener(JsonArray names) throws ClassNotFoundException {
    List<Class<?>> types = new ArrayList<>();
    for (JsonElement name : names) {
      types.add(Class.forName(name.getAsString()));
    }
    InvocationHandler handler =
        (self, method, args) -> {
          switch (method.getName()) {
            case "hashCode":
              return System.identityHashCode(self);
            case "equals":
              return self == args[0];
            case "toString":
              return "listener";
            default:
              JsonObject event = new JsonObject();
              event.addProperty("event", method.getName());
              event.add("args", json(args == null ? List.of() : args));
              say(event);
              return null;
          }
        };
    ClassLoader loader = Bridge.class.getClassLoader();
    return Proxy.newProxyInstance(loader, types.toArray(new Class<?>[0]), handler);
  }

  // -- JSON to Java ---------------------------------------------------------------------------

  /** Returns the arguments as these types, or null where one does not fit. */
  private Object[] fitting(JsonArray args, Class<?>[] types) {
    if (args.size() != types.length) {
      return null;
    }
    Object[] given = new Object[types.length];
    for (int at = 0; at < types.length; at++) {
      try {
        given[at] = value(args.get(at), types[at]);
      } catch (IllegalArgumentException | ClassCastException unfit) {
        return null;
      }
    }
    return given;
  }

  private Object value(JsonElement given, Class<?> type) {
    if (given.isJsonNull()) {
      if (type.isPrimitive()) {
        throw new IllegalArgumentException("null for " + type);
      }
      return null;
    }
    if (given.isJsonPrimitive()) {
      return primitive(given.getAsJsonPrimitive(), type);
    }
    if (given.isJsonArray()) {
      return list(given.getAsJsonArray(), type);
    }
    JsonObject object = given.getAsJsonObject();
    if (object.has("hex")) {
      return type.cast(octets(object.get("hex").getAsString()));
    }
    return type.cast(objects.get(object.get("@").getAsInt()));
  }

  private static Object primitive(JsonPrimitive given, Class<?> type) {
    if (given.isBoolean() && (type == boolean.class || type == Boolean.class)) {
      return given.getAsBoolean();
    }
    if (given.isString()) {
      if (type.isEnum()) {
        for (Object constant : type.getEnumConstants()) {
          if (((Enum<?>) constant).name().equals(given.getAsString())) {
            return constant;
          }
        }
      }
      if (type == String.class || type == Object.class) {
        return given.getAsString();
      }
    }
    if (given.isNumber()) {
      if (type == int.class || type == Integer.class) {
        return given.getAsInt();
      }
      if (type == long.class || type == Long.class) {
        return given.getAsLong();
      }
      if (type == double.class || type == Double.class) {
        return given.getAsDouble();
      }
      if (type == short.class || type == Short.class) {
        return given.getAsShort();
      }
      if (type == byte.class || type == Byte.class) {
        return given.getAsByte();
      }
    }
    throw new IllegalArgumentException(given + " for " + type);
  }

  private Object list(JsonArray given, Class<?> type) {
    if (type.isArray()) {
      Object made = Array.newInstance(type.getComponentType(), given.size());
      for (int at = 0; at < given.size(); at++) {
        Array.set(made, at, value(given.get(at), type.getComponentType()));
      }
      return made;
    }
    ArrayList<Object> made = new ArrayList<>();
    for (JsonElement item : given) {
      if (item.isJsonPrimitive() && item.getAsJsonPrimitive().isNumber()) {
        made.add(item.getAsInt());
      } else {
        made.add(value(item, Object.class));
      }
    }
    return type.cast(made);
  }

  private static byte[] octets(String hex) {
    byte[] made = new byte[hex.length() / 2];
    for (int at = 0; at < made.length; at++) {
      made[at] = (byte) Integer.parseInt(hex.substring(2 * at, 2 * at + 2), 16);
    }
    return made;
  }

  // -- Java to JSON ---------------------------------------------------------------------------

  private JsonElement json(Object value) {
    if (value == null) {
      return JsonNull.INSTANCE;
    }
    if (value instanceof Boolean) {
      return new JsonPrimitive((Boolean) value);
    }
    if (value instanceof Number) {
      return new JsonPrimitive((Number) value);
    }
    if (value instanceof String) {
      return new JsonPrimitive((String) value);
    }
    if (value instanceof Enum) {
      return new JsonPrimitive(((Enum<?>) value).name());
    }
    JsonObject object = new JsonObject();
    if (value instanceof byte[]) {
      StringBuilder hex = new StringBuilder();
      for (byte octet : (byte[]) value) {
        hex.append(String.format("%02x", octet));
      }
      object.addProperty("hex", hex.toString());
      return object;
    }
    if (value instanceof Collection) {
      return json(((Collection<?>) value).toArray());
    }
    if (value.getClass().isArray()) {
      JsonArray list = new JsonArray();
      for (int at = 0; at < Array.getLength(value); at++) {
        list.add(json(Array.get(value, at)));
      }
      return list;
    }
    int number = last.incrementAndGet();
    objects.put(number, value);
    object.addProperty("@", number);
    object.addProperty("class", value.getClass().getSimpleName());
    try {
      object.addProperty("text", String.valueOf(value));
    } catch (RuntimeException unprintable) {
      object.addProperty("text", unprintable.toString());
    }
    return object;
  }
}
